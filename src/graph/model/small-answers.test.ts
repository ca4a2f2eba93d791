import { expect, it } from 'vitest';
import type { Base } from './base.ts';
import { createScratchPool, type GraphQuery, runQuery } from './query.ts';
import { createSmallAnswers } from './small-answers.ts';
import { TeamModel } from './testing/team-model.ts';

const hub = { label: 'Db', name: 'hub' };
const count: GraphQuery = { kind: 'impactedCount', ...hub };
const page: GraphQuery = { kind: 'impacted', ...hub, impactedLabel: 'App', skip: 1, limit: 3, ts: 5 };

/** So many apps that depend on one database. */
function starBase(apps: number): Base {
  const model = new TeamModel();
  const source = (i: number) => ({ label: 'App', name: `app-${i}` });
  model.write(
    'add',
    Array.from({ length: apps }, (_, i) => ({ source: source(i), target: hub })),
  );
  model.rebuild();
  return model.graph.base;
}

it('answers as a thread would', () => {
  const base = starBase(100);
  const answerSmall = createSmallAnswers();
  expect(answerSmall(base, count)).toEqual({ version: base.version, isFound: true, value: { count: 100 } });
  const steps = [...runQuery({ base, overlay: undefined }, createScratchPool(), page)];
  expect(answerSmall(base, page)?.bytes).toEqual(steps[0]);
  expect(answerSmall(base, { kind: 'nodeId', label: 'Db', name: 'nobody' })).toMatchObject({ isFound: false });
});

it('leaves to a thread what takes longer, however it does', () => {
  const answerSmall = createSmallAnswers();
  // One node with many dependents, and a walk that is long because it has many nodes.
  expect(answerSmall(starBase(20_000), count)).toBeUndefined();
  expect(answerSmall(starBase(10_000), count)).toBeUndefined();
  expect(answerSmall(starBase(10), { kind: 'labels' })).toBeUndefined();
  // What was given up leaves nothing behind.
  expect(answerSmall(starBase(7), count)?.value).toEqual({ count: 7 });
});
