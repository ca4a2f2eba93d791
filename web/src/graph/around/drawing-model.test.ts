import { expect, test } from 'vitest';
import { type Opening, parseOpenings, printOpening, printOpenings } from '../explorer-state.ts';
import type { NeighbourPage } from '../graph-api.ts';
import { nodeOf } from '../node-key.ts';
import { buildDrawing, listOpenings } from './drawing-model.ts';

const db = nodeOf('Db:orders');

function page(...keys: string[]): NeighbourPage {
  const nodes = keys.map((key) => ({ ...nodeOf(key), from: null, to: null, periods: [], old: key.includes('old') }));
  const labels = [...new Set(nodes.map(({ label }) => label))];
  return { groups: labels.map((label) => ({ label, count: nodes.filter((n) => n.label === label).length })), nodes };
}

function draw(opened: string, pages: Record<string, NeighbourPage>) {
  const openings = listOpenings(db, 'both', parseOpenings(opened));
  const { items, edges } = buildDrawing(db, openings, new Map(Object.entries(pages)));
  return {
    items: items.map((item) => item.key),
    edges: edges.map(({ from, to }) => `${from} > ${to}`),
    whole: { items, edges },
  };
}

test('edges go from what depends to what it depends on, whichever way they were found', () => {
  const { items, edges } = draw('', { '<Db:orders': page('App:api'), '>Db:orders': page('Disk:d1') });
  expect(items).toEqual(['Db:orders', 'App:api', 'Disk:d1']);
  expect(edges).toEqual(['App:api > Db:orders', 'Db:orders > Disk:d1']);
});

test('a node opened behind another goes when that one is closed', () => {
  const pages = { '<Db:orders': page('App:api'), '<App:api': page('Web:shop'), '<Web:shop': page('User:u') };
  expect(draw('<Web:shop\n<App:api', pages).items).toEqual(['Db:orders', 'App:api', 'Web:shop', 'User:u']);
  expect(draw('<Web:shop', pages).items).toEqual(['Db:orders', 'App:api']);
});

test('a cycle is drawn once', () => {
  const { items, edges } = draw('<App:api', { '<Db:orders': page('App:api'), '<App:api': page('Db:orders') });
  expect(items).toEqual(['Db:orders', 'App:api']);
  expect(edges).toEqual(['App:api > Db:orders', 'Db:orders > App:api']);
});

test('what is not drawn of a label is counted', () => {
  const few = { groups: [{ label: 'App', count: 5000 }], nodes: page('App:a', 'App:b').nodes };
  const { whole } = draw('', { '<Db:orders': few });
  expect(whole.items[3]).toMatchObject({ kind: 'rest', label: 'App', count: 4998 });
});

test('what is not active on that day is marked', () => {
  const { whole } = draw('', { '<Db:orders': page('App:old') });
  expect(whole.items[1]).toMatchObject({ isOld: true, side: 'impacted', isOpen: false });
  expect(whole.edges[0]).toMatchObject({ isOld: true });
});

test('openings survive the address, whatever the name', () => {
  const openings: Opening[] = [
    { direction: 'dependencies', node: { label: 'Web', name: ':a>b <c> /?&=%41' } },
    { direction: 'impacted', node: { label: 'Db', name: 'x' } },
  ];
  expect(parseOpenings(printOpenings(openings))).toEqual(openings);
  expect(printOpening(openings[1])).toBe('<Db:x');
  expect(parseOpenings('nonsense\n>Db')).toEqual([]);
});
