import fc from 'fast-check';
import { type Attempt, type Leaf, leavesOf, type Tree } from './reference.ts';

/** Plans at random, for the engine (as the YAML of a definition) and for the reference (as a tree). */

const attempt = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Attempt>('ok') },
  { weight: 3, arbitrary: fc.constant<Attempt>('fail') },
  { weight: 1, arbitrary: fc.constant<Attempt>('fatal') },
  { weight: 2, arbitrary: fc.constant<Attempt>('die') },
  { weight: 2, arbitrary: fc.constant<Attempt>('release') },
);
/** Most tasks of most plans succeed: a plan that fails at its first task shows little. */
const script = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Attempt[]>([]) },
  { weight: 2, arbitrary: fc.array(attempt, { maxLength: 4 }) },
);

const leaf = fc.record(
  {
    script,
    attempts: fc.integer({ min: 1, max: 3 }),
    when: fc.option(fc.boolean(), { nil: undefined, freq: 4 }),
    elements: fc.option(fc.array(script, { maxLength: 5 }), { nil: undefined, freq: 5 }),
    concurrency: fc.integer({ min: 1, max: 3 }),
    /** Which of the tasks before it, as bits; none: where it stands. */
    needs: fc.option(fc.integer({ min: 0, max: 255 }), { nil: undefined, freq: 5 }),
  },
  { requiredKeys: ['script', 'attempts', 'concurrency'] },
);
type RawLeaf = typeof leaf extends fc.Arbitrary<infer T> ? T : never;
type RawTree = RawLeaf | { chain: RawTree[] } | { group: RawTree[] };

const raw = fc.letrec<{ tree: RawTree; chain: RawTree; group: RawTree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 3, withCrossShrink: true }, leaf, tie('chain'), tie('group')),
  chain: fc.record({ chain: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
  group: fc.record({ group: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
}));

/** Keys are given in the order of the definition, and `needs` name only what comes before: no circles. */
function withKeys(tree: RawTree): Tree {
  const keys: string[] = [];
  const walk = (node: RawTree): Tree => {
    if ('chain' in node) return { chain: node.chain.map(walk) };
    if ('group' in node) return { group: node.group.map(walk) };
    const { needs, when, elements, ...rest } = node;
    const chosen = needs === undefined ? undefined : keys.filter((_, index) => (needs >> (index % 8)) % 2 === 1);
    keys.push(`K${keys.length}`);
    return {
      ...rest,
      key: keys[keys.length - 1],
      ...(chosen && { needs: chosen }),
      ...(when !== undefined && { when }),
      ...(elements && { elements }),
    };
  };
  return walk(tree);
}

export const randomTree: fc.Arbitrary<Tree> = fc
  .array(raw.tree, { minLength: 1, maxLength: 4 })
  .map((chain) => withKeys({ chain }));

/** The definition `t.RANDOM`, as JSON, which is YAML too, and the payload that its expressions look at. */
export function definitionOf(tree: Tree): {
  yaml: string;
  payload: { when: Record<string, boolean>; lists: Record<string, number[]> };
} {
  let groups = 0;
  const item = (node: Tree): object => {
    if ('chain' in node) return { [`C${groups++}`]: { type: 'chain', tasks: node.chain.map(item) } };
    if ('group' in node) return { [`C${groups++}`]: { type: 'group', tasks: node.group.map(item) } };
    return { [node.key]: leafItem(node) };
  };
  const leaves = leavesOf(tree);
  return {
    yaml: JSON.stringify({ 't.RANDOM': { tasks: [item(tree)] } }),
    payload: {
      when: Object.fromEntries(leaves.flatMap(({ key, when }) => (when === undefined ? [] : [[key, when]]))),
      lists: Object.fromEntries(
        leaves.flatMap(({ key, elements }) => (elements ? [[key, elements.map((_, n) => n)]] : [])),
      ),
    },
  };
}

const leafItem = ({ key, needs, when, attempts, elements, concurrency }: Leaf): object => ({
  ...(elements ? { type: 'foreach', over: `payload.lists.${key}`, task: 'WORK', concurrency } : { run: 'WORK' }),
  ...(needs && { needs }),
  ...(when !== undefined && { when: `payload.when.${key}` }),
  retry: { attempts, delay: 0 },
});
