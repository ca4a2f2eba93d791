/**
 * What becomes of an instance, told without an engine: the contract in as few lines as possible. Tests compare the engine with it.
 * Nothing here knows of queues, leases, order or time, and nothing may: the outcome must not depend on them.
 */

/** What an attempt does; a worker that dies is never heard of again, one that releases hands the task back untouched. */
export type Attempt = 'ok' | 'fail' | 'fatal' | 'die' | 'release';

export type Leaf = {
  key: string;
  /** Instead of what stands before it. */
  needs?: string[];
  /** What its condition comes to. */
  when?: boolean;
  /** How many failures are one too many. */
  attempts: number;
  /** What its attempts do, the first one first; those after the last succeed. */
  script: Attempt[];
  /** A foreach: one script for each element. */
  elements?: Attempt[][];
  concurrency?: number;
};
export type Tree = Leaf | { chain: Tree[] } | { group: Tree[] };

export type Verdict = {
  status: 'success' | 'error' | 'canceled' | 'skipped';
  /** How often it was handed out; unknown for what the service does itself. */
  attempt?: number;
  result?: unknown;
};
/** Where several are possible, the order of things decides: an element of a foreach of which another one failed. */
export type Outcome = { status: 'success' | 'error'; tasks: Map<string, Verdict[]>; previous: Map<string, string[]> };

export const resultOf = (key: string, attempt: number): string => `${key} by attempt ${attempt}`;

/** All tasks in the order of the definition. */
export const leavesOf = (tree: Tree): Leaf[] =>
  'key' in tree ? [tree] : ('chain' in tree ? tree.chain : tree.group).flatMap(leavesOf);

/** Direct predecessors by key: a chain leads from one to the next, the members of a group all come after what is before it. */
export function previousOf(tree: Tree): Map<string, string[]> {
  const previous = new Map<string, string[]>();
  const walk = (node: Tree, before: string[]): string[] => {
    if ('group' in node) return [...new Set(node.group.flatMap((member) => walk(member, before)))];
    if ('chain' in node) return node.chain.reduce((last, item) => walk(item, last), before);
    previous.set(node.key, node.needs ?? before);
    return [node.key];
  };
  walk(tree, []);
  return previous;
}

/** One task by itself: attempt after attempt until it is over. */
export function runAlone(key: string, script: Attempt[], attempts: number, maxLost: number): Verdict {
  let [failures, lost] = [0, 0];
  for (let attempt = 1; ; attempt++) {
    const does = script[attempt - 1] ?? 'ok';
    if (does === 'ok') return { status: 'success', attempt, result: resultOf(key, attempt) };
    if (does === 'fail') failures++;
    if (does === 'die') lost++;
    if (does === 'fatal' || failures >= attempts || lost >= maxLost) return { status: 'error', attempt };
  }
}

export function interpret(tree: Tree, maxLost: number): Outcome {
  const previous = previousOf(tree);
  const leaves = new Map(leavesOf(tree).map((leaf) => [leaf.key, leaf]));
  const tasks = new Map<string, Verdict[]>();

  function judge(leaf: Leaf): Verdict {
    const known = tasks.get(leaf.key);
    if (known) return known[0];
    const verdict = runLeaf(leaf);
    tasks.set(leaf.key, [verdict]);
    return verdict;
  }

  function runLeaf(leaf: Leaf): Verdict {
    const before = (previous.get(leaf.key) ?? []).map((key) => judge(leaves.get(key) ?? leaf));
    if (before.some(({ status }) => status === 'error' || status === 'canceled')) return { status: 'canceled' };
    if (leaf.when === false) return { status: 'skipped', result: null };
    if (!leaf.elements) return runAlone(leaf.key, leaf.script, leaf.attempts, maxLost);
    const elements = leaf.elements.map((script, n) => runAlone(`${leaf.key}[${n}]`, script, leaf.attempts, maxLost));
    const isDone = elements.every(({ status }) => status === 'success');
    elements.forEach((own, n) => {
      // In a foreach that fails, what had not begun or waited for its next attempt is canceled.
      tasks.set(`${leaf.key}[${n}]`, isDone ? [own] : [own, { status: 'canceled' }]);
    });
    return isDone ? { status: 'success', result: elements.map(({ result }) => result) } : { status: 'error' };
  }

  for (const leaf of leaves.values()) judge(leaf);
  const isDone = [...leaves.keys()].every((key) => ['success', 'skipped'].includes(tasks.get(key)?.[0].status ?? ''));
  return { status: isDone ? 'success' : 'error', tasks, previous };
}
