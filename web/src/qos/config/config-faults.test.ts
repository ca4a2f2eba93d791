import { expect, test } from 'vitest';
import { faultsOf, toFaults } from './config-faults.ts';

const known = { graphLabels: new Set(['Server', 'Pool']), rules: new Set(['Up']) };
const of = (qos: string) => faultsOf({ Pool: { qos } }, known);

test('a query that the grammar does not know is marked where it goes wrong', () => {
  const qos = 'operation.ALL[Server]';
  const [fault] = of(qos);
  expect(qos.slice(fault?.from, fault?.to)).toBe('ALL');
  expect(fault?.message).toMatch(/^column 11: /);
});

test('an unknown label and an unknown rule are marked as words', () => {
  const [label] = of('operation.AND[Server, Sever]');
  expect(label).toMatchObject({ from: 22, to: 27 });
  const [rule] = of('rule.Down');
  expect(rule).toMatchObject({ from: 5, to: 9 });
});

test('a fault on a later line is marked there', () => {
  const qos = 'operation.AND[Server,\n  Sever]';
  const [fault] = of(qos);
  expect(qos.slice(fault?.from, fault?.to)).toBe('Sever');
});

test('a fault at the end marks nothing, and stays inside the text', () => {
  expect(of('operation.AND[Server')[0]).toMatchObject({ from: 20, to: 20 });
});

test('what the service complains about without a place stands at the beginning', () => {
  const faults = toFaults({ Pool: { qos: 'rule.Up' } }, [{ path: 'Pool.qos', message: 'is not good' }]);
  expect(faults).toEqual([{ label: 'Pool', message: 'column 1: is not good', from: 0, to: 4 }]);
});
