/**
 * From tasks to what is drawn: one node a task, except that many siblings become one node, and that a group which follows a group
 * gets a junction between, for all its arrows would hide the picture.
 *
 *   A1 ─▶ B1         A1 ─▶ ┬ ─▶ B1
 *    └──▶ B2    is   A2 ─▶ ┘ └▶ B2
 *   A2 ─▶ B1
 *    └──▶ B2
 */
export type GraphTask = { id: string; key: string; previous: string[] };

export type GraphNode = {
  id: string;
  /** Of the tasks that the node stands for: none for a junction, several for siblings. */
  taskIds: string[];
  /** Of many elements of a foreach: the foreach itself, which is as they are together. */
  ownerId?: string;
  title: string;
  previous: string[];
};

const mostSiblings = 12;

/** In an order in which everything follows what it depends on. */
export function nodesOf(tasks: GraphTask[]): GraphNode[] {
  return inOrder(withJunctions(withSiblingsJoined(afterItsElements(tasks))));
}

/** How deep each node lies: the longest way to it. */
export function layersOf(nodes: GraphNode[]): Map<string, number> {
  const layers = new Map<string, number>();
  for (const { id, previous, taskIds } of nodes) {
    const before = Math.max(-1, ...previous.map((each) => layers.get(each) ?? -1));
    // A junction lies between two layers and makes none.
    layers.set(id, taskIds.length === 0 ? before : before + 1);
  }
  return layers;
}

/**
 * The rows of a foreach EACH are EACH itself and EACH[0], EACH[1], …, all with the same predecessors; but EACH has its end when they
 * have theirs, so it is drawn after them.
 */
function afterItsElements(tasks: GraphTask[]): GraphTask[] {
  const placeOf = (key: string, { previous }: GraphTask) => `${key} ${previous.toSorted().join(' ')}`;
  const elements = Map.groupBy(
    tasks.filter((task) => elementName.test(task.key)),
    (task) => placeOf(task.key.replace(elementName, '$1'), task),
  );
  return tasks.map((task) => {
    const own = elements.get(placeOf(task.key, task));
    return own === undefined ? task : { ...task, previous: own.map((element) => element.id) };
  });
}
const elementName = /^(.+)\[\d+\]$/;

function withSiblingsJoined(tasks: GraphTask[]): GraphNode[] {
  const known = new Set(tasks.map((task) => task.id));
  const before = new Map(tasks.map((task) => [task.id, [...new Set(task.previous)].filter((id) => known.has(id))]));
  const after = new Map<string, string[]>(tasks.map((task) => [task.id, []]));
  for (const [id, previous] of before) for (const each of previous) after.get(each)?.push(id);
  const position = new Map<string, string>();
  for (const { id } of tasks) {
    const [into, out] = [before.get(id) ?? [], after.get(id) ?? []];
    position.set(id, `${into.toSorted().join(' ')} > ${out.toSorted().join(' ')}`);
  }

  // First those with one name (the elements of a foreach), then whatever stands side by side.
  const nodeOf = new Map<string, GraphNode>();
  const join = (group: GraphTask[], title: string) => {
    const [first] = group;
    if (first === undefined || group.length <= mostSiblings) return;
    const taskIds = group.map((task) => task.id);
    const [next, ...others] = after.get(first.id) ?? [];
    const isForeach = next !== undefined && others.length === 0 && before.get(next)?.length === group.length;
    const ownerId = isForeach && tasks.find((task) => task.id === next)?.key === title ? next : undefined;
    const node = { id: first.id, taskIds, ownerId, title, previous: before.get(first.id) ?? [] };
    for (const id of ownerId === undefined ? taskIds : [...taskIds, ownerId]) nodeOf.set(id, node);
  };
  for (const group of groupBy(tasks, (task) => `${position.get(task.id)} ${stemOf(task.key)}`))
    join(group, stemOf(group[0]?.key ?? ''));
  const others = tasks.filter((task) => !nodeOf.has(task.id));
  for (const group of groupBy(others, (task) => position.get(task.id) ?? ''))
    join(group, `${group[0]?.key ?? ''}, ${group[1]?.key ?? ''}, …`);
  for (const { id, key } of tasks)
    if (!nodeOf.has(id)) nodeOf.set(id, { id, taskIds: [id], title: key, previous: before.get(id) ?? [] });

  const nodes = [...new Set(nodeOf.values())];
  const nodeIdOf = (taskId: string): string => nodeOf.get(taskId)?.id ?? taskId;
  return nodes.map((node) => ({ ...node, previous: [...new Set(node.previous.map(nodeIdOf))] }));
}

/** PACK[3], PACK.3, PACK#3 and PACK-3 are all PACK. */
export const stemOf = (key: string): string => /^(.+?)(\[\d+\]|[.#:_-]\d+)$/.exec(key)?.[1] ?? key;

function withJunctions(nodes: GraphNode[]): GraphNode[] {
  const several = nodes.filter((node) => node.previous.length > 1);
  const junctions = groupBy(several, (node) => node.previous.toSorted().join(' '))
    .filter((group) => group.length > 1)
    .map((group) => ({ id: `junction of ${group[0]?.id}`, members: group, previous: group[0]?.previous ?? [] }));
  const junctionOf = new Map(junctions.flatMap(({ id, members }) => members.map((member) => [member.id, id] as const)));
  return [
    ...junctions.map(({ id, previous }) => ({ id, previous, taskIds: [], title: '' })),
    ...nodes.map((node) => {
      const junction = junctionOf.get(node.id);
      return junction === undefined ? node : { ...node, previous: [junction] };
    }),
  ];
}

/** Kahn's algorithm; of several that could come next, the first in the given order. What lies on a cycle comes last, as it is. */
function inOrder(nodes: GraphNode[]): GraphNode[] {
  const rank = new Map(nodes.map((node, index) => [node.id, index]));
  const waitsFor = nodes.map((node) => node.previous.length);
  const after = nodes.map((): number[] => []);
  for (const [index, { previous }] of nodes.entries())
    for (const id of previous) after[rank.get(id) ?? -1]?.push(index);
  const ready = nodes.flatMap((_, index) => (waitsFor[index] === 0 ? [index] : []));
  const order: number[] = [];
  while (ready.length > 0) {
    const next = ready.reduce((least, each) => Math.min(least, each));
    ready.splice(ready.indexOf(next), 1);
    order.push(next);
    for (const index of after[next] ?? []) {
      const left = (waitsFor[index] ?? 0) - 1;
      waitsFor[index] = left;
      if (left === 0) ready.push(index);
    }
  }
  const placed = new Set(order);
  const rest = nodes.flatMap((_, index) => (placed.has(index) ? [] : [index]));
  return [...order, ...rest].flatMap((index) => nodes[index] ?? []);
}

const groupBy = <T>(list: T[], keyOf: (each: T) => string): T[][] => [...Map.groupBy(list, keyOf).values()];
