import { expect, test } from 'vitest';
import { layersOf } from './label-layers.ts';

const of = (config: Record<string, string>) =>
  layersOf(Object.fromEntries(Object.entries(config).map(([label, qos]) => [label, { qos }])));
const columns = (layers: ReturnType<typeof of>) =>
  Object.fromEntries(layers.places.map(({ label, column }) => [label, column]));

test('a label stands left of everything that it follows from', () => {
  const layers = of({
    Website: 'aggregation.AVERAGE[Api]',
    Api: 'operation.AND[Database, Pool]',
    Pool: 'operation.OR[Server]',
    Server: 'rule.Up',
    Database: 'rule.Up',
    Alone: 'rule.Up',
  });
  expect(columns(layers)).toEqual({ Website: 0, Alone: 0, Api: 1, Pool: 2, Database: 2, Server: 3 });
  expect(layers.places.filter(({ row }) => row === 0).map(({ label }) => label)).toContain('Website');
  expect(layers).toMatchObject({ columns: 4, rows: 2 });
  expect(layers.lines).toContainEqual({ from: 'Api', to: 'Database' });
});

test('what is not a query, not there, or circular is drawn as far as it goes', () => {
  expect(of({ A: 'nonsense', B: 'operation.AND[Missing]' })).toMatchObject({ lines: [], columns: 1, rows: 2 });
  expect(of({ A: 'operation.AND[B]', B: 'operation.AND[A]' }).places).toHaveLength(2);
  expect(of({})).toEqual({ places: [], lines: [], columns: 0, rows: 0 });
});
