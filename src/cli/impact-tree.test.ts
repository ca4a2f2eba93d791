import { expect, test } from 'vitest';
import { isInPeriods, type LoadOptions, loadTree, type NodeAnswer } from './impact-load.ts';
import { describeImpact } from './impact-text.ts';

/** `db ← api ← web, jobs ← api`: who depends on whom, as the server would say. */
const dependents: Record<string, string[]> = {
  db: ['api', 'jobs'],
  api: ['web', 'jobs'],
  web: [],
  jobs: ['db', 'late'],
  late: [],
};
const read = async ({ name }: { name: string }): Promise<NodeAnswer> => ({
  name,
  ...(name === 'late' ? { from: 500 } : {}),
  dependencies: {
    S: [{ name }, ...(dependents[name] ?? []).map((other) => ({ name: other, old: false, periods: [] }))],
  },
});
const options: LoadOptions = { depth: 3, maxChildren: 20, ts: 100, inactive: false };
const draw = async (
  more: Partial<LoadOptions>,
  screen: { isStyled: boolean; width?: number } = { isStyled: false },
) => {
  const all = { ...options, ...more };
  const tree = await loadTree({ label: 'S', name: 'db' }, read, all);
  return describeImpact(tree, { total: 4, perLabel: [{ label: 'S', count: 4 }] }, all, screen);
};

test('a node is unfolded once, where it is nearest, and a cycle ends', async () => {
  expect(await draw({})).toBe(`4 impacted nodes: S 4

S db
├── S api
│   ├── S web
│   └── S jobs ↪
└── S jobs
    └── S db ↪

↪ stands at another place of the tree too.
3 of 4 are shown; --inactive for those that are not active, --json for all as a list.`);
});

test('what is left out is counted, with the way to see it', async () => {
  expect(await draw({ depth: 1, maxChildren: 1, inactive: true })).toBe(`4 impacted nodes: S 4

S db
├── S api
└── … 1 more

1 of 4 are shown; --all-children for those marked …, --depth 2 for a level more, --json for all as a list.`);
});

test('inactive nodes say so, also without colours', async () => {
  const text = await draw({ inactive: true });
  expect(text).toContain('S late (inactive)');
  expect(await draw({ inactive: true }, { isStyled: true })).toContain('\u001b[2m    └── S late (inactive)');
});

test('a narrow screen cuts names, not the tree', async () => {
  const tree = await loadTree({ label: 'Server', name: 'a-name-that-is-long' }, read, { ...options, depth: 0 });
  const text = describeImpact(tree, { total: 0, perLabel: [] }, options, { isStyled: false, width: 12 });
  expect(text).toBe('Nothing depends on it.\n\nServer a-na…');
});

test('a period holds at both its ends', () => {
  expect([9, 10, 20, 21, 30].map((ts) => isInPeriods([10, 20, 30], ts))).toEqual([false, true, true, false, true]);
  expect(isInPeriods([], 5)).toBe(true);
});
