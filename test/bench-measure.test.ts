import { expect, test } from 'vitest';
import type { BenchCase } from '../bench/harness/case.ts';
import { measureCase } from '../bench/harness/measure.ts';

test('contenders take turns, medians count, and a ratio above one is good whichever way is better', async () => {
  const turns: string[] = [];
  const figures = { ours: [10, 30, 20], peer: [40, 10, 20] };
  const next = (name: 'ours' | 'peer') => async () => {
    turns.push(name);
    return { value: figures[name].shift() ?? 0 };
  };
  const row = { figure: 'value', unit: 'ms', ours: 'ours', peer: 'peer' };
  const benchCase: BenchCase = {
    name: 'case',
    rounds: 3,
    prepare: async () => ({
      contenders: { ours: next('ours'), peer: next('peer') },
      versions: {},
      close: async () => void turns.push('closed'),
    }),
    rows: [
      { ...row, title: 'speed', better: 'higher', target: { ratioAtLeast: 1.01 } },
      { ...row, title: 'time', better: 'lower', target: { below: 21 } },
      { ...row, title: 'alone', better: 'lower', peer: undefined, target: 'none' },
    ],
  };
  const { rows } = await measureCase(benchCase, { isQuick: false, isLarge: false, onRound: () => undefined });
  expect(turns).toEqual(['ours', 'peer', 'ours', 'peer', 'ours', 'peer', 'closed']);
  expect(rows.map(({ ours, peer, ratio, isMet }) => ({ ours, peer, ratio, isMet }))).toEqual([
    { ours: 20, peer: 20, ratio: 1, isMet: false },
    { ours: 20, peer: 20, ratio: 1, isMet: true },
    { ours: 20, peer: null, ratio: null, isMet: true },
  ]);
});
