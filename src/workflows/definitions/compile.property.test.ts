import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkHome } from './home-check.ts';

/** A random tree of items; every item has a key of its own. `needs` are keys of anything, so cycles happen. */
type Tree =
  | { key: string; needs?: string[]; type: 'task' }
  | { key: string; needs?: string[]; type: 'group' | 'chain'; members: Tree[] };
type Shape = { type: 'task' | 'group' | 'chain'; needs: number[] | undefined; members: Shape[] };

const shape = fc.letrec<{ item: Shape }>((tie) => {
  const needs = fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.array(fc.nat(30), { maxLength: 3 }) },
  );
  return {
    item: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({ type: fc.constant('task' as const), needs, members: fc.constant<Shape[]>([]) }),
      fc.record({
        type: fc.constantFrom('group' as const, 'chain' as const),
        needs,
        members: fc.array(tie('item'), { minLength: 1, maxLength: 4 }),
      }),
    ),
  };
}).item;
const definition = fc.array(shape, { minLength: 1, maxLength: 6 });

function nameAll(shapes: Shape[]): Tree[] {
  let count = 0;
  const total = (items: Shape[]): number => items.reduce((sum, item) => sum + 1 + total(item.members), 0);
  const all = total(shapes);
  const name = (item: Shape): Tree => {
    const key = `K${count++}`;
    const needs = item.needs?.map((need) => `K${need % all}`);
    if (item.type === 'task') return { key, type: 'task', ...(needs && { needs }) };
    return { key, type: item.type, ...(needs && { needs }), members: item.members.map(name) };
  };
  return shapes.map(name);
}

const toYaml = (trees: Tree[]): unknown[] =>
  trees.map((tree) => {
    const needs = tree.needs && { needs: tree.needs };
    if (tree.type !== 'task') return { [tree.key]: { type: tree.type, ...needs, tasks: toYaml(tree.members) } };
    return needs ? { [tree.key]: { run: 'T', ...needs } } : { [tree.key]: { run: 'T' } };
  });

/** The definition of predecessors, word for word: look at the item, then at what surrounds it. No care for speed. */
function naiveEdges(trees: Tree[]): Map<string, Set<string>> {
  const root: Tree = { key: 'root', type: 'chain', members: trees };
  const found = new Map<string, Tree>();
  const parents = new Map<string, Tree & { type: 'group' | 'chain' }>();
  const visit = (tree: Tree): void => {
    found.set(tree.key, tree);
    if (tree.type === 'task') return;
    for (const member of tree.members) {
      parents.set(member.key, tree);
      visit(member);
    }
  };
  visit(root);
  const lasts = (tree: Tree | undefined): string[] => {
    if (!tree) return [];
    if (tree.type === 'task') return [tree.key];
    return tree.type === 'group' ? tree.members.flatMap(lasts) : lasts(tree.members.at(-1));
  };
  const before = (tree: Tree): string[] => {
    if (tree.needs) return tree.needs.flatMap((need) => lasts(found.get(need)));
    const parent = parents.get(tree.key);
    if (!parent) return [];
    const place = parent.members.indexOf(tree);
    return parent.type === 'chain' && place > 0 ? lasts(parent.members[place - 1]) : before(parent);
  };
  const leaves = [...found.values()].filter(({ type }) => type === 'task');
  return new Map(leaves.map((leaf) => [leaf.key, new Set(before(leaf))]));
}

function hasCycle(edges: Map<string, Set<string>>): boolean {
  const left = new Map([...edges].map(([key, before]) => [key, new Set(before)]));
  for (;;) {
    const free = [...left].filter(([, before]) => before.size === 0).map(([key]) => key);
    if (free.length === 0) return left.size > 0;
    for (const key of free) left.delete(key);
    for (const before of left.values()) for (const key of free) before.delete(key);
  }
}

const compile = (trees: Tree[]) =>
  checkHome(
    [
      { path: 'tasks/t.ts', text: 'export function T() {}' },
      { path: 'workflows.yml', text: stringify({ 'p.W': { tasks: toYaml(trees) } }) },
    ],
    0,
  );

test('any definition without a cycle becomes a plan in topological order whose edges are those of the naive reading', () => {
  fc.assert(
    fc.property(definition, (shapes) => {
      const trees = nameAll(shapes);
      const expected = naiveEdges(trees);
      fc.pre(!hasCycle(expected));
      const report = compile(trees);
      expect(report.faults).toEqual([]);
      const items = report.definitions.get('p.W')?.plan.items ?? [];
      const edges = items.map(
        ({ key, previous }) => [key, new Set(previous.map((index) => items[index].key))] as const,
      );
      expect(new Map(edges)).toEqual(expected);
      for (const [index, { previous, previousShape }] of items.entries()) {
        expect(previous).toEqual(previous.toSorted((a, b) => a - b));
        expect(previous.every((before) => before < index)).toBe(true);
        expect(previousShape === 'none').toBe(previous.length === 0);
        expect(previousShape === 'one' && previous.length !== 1).toBe(false);
      }
    }),
    { numRuns: 300 },
  );
});

test('any definition with a cycle is a fault that says so, and nothing else', () => {
  fc.assert(
    fc.property(definition, (shapes) => {
      const trees = nameAll(shapes);
      fc.pre(hasCycle(naiveEdges(trees)));
      const report = compile(trees);
      expect(report.definitions.size).toBe(0);
      expect(report.faults.map(({ message }) => message)).toEqual([expect.stringContaining('wait for each other')]);
    }),
    { numRuns: 100 },
  );
});

test('no text in place of a definition makes the checker throw', () => {
  const token = fc.constantFrom(
    'p.W',
    'tasks',
    'A',
    ': ',
    '\n  ',
    '\n    ',
    '- ',
    '[',
    ']',
    '{',
    '}',
    ', ',
    'type: ',
    'group',
    'chain',
    'foreach',
    'over: ',
    'needs: ',
    'when: ',
    '"payload."',
    'periodic: ',
    'crontab: ',
    '"* * * * *"',
    'interval: ',
    '1',
    'hooks: ',
    'schema: ',
    'queue: ',
    'with: ',
    '"{{"',
    'run: ',
    'http',
    'null',
    '&a ',
    '*a',
    '<<: ',
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
      const text = `p.W:\n  tasks: ${tokens.join('')}`;
      const report = checkHome([{ path: 'workflows.yml', text }], 0);
      for (const fault of report.faults) expect(fault.line).toBeLessThanOrEqual(text.split('\n').length);
      expect(report.definitions.size > 0 || report.faults.length > 0).toBe(true);
    }),
    { numRuns: 1500 },
  );
});
