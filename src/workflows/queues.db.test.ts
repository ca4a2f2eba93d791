import { beforeAll, expect, test } from 'vitest';
import { startWorkflowApp, type WorkflowApp } from '../../test/harness/workflows.ts';

const workflows = `
t.LOW: { priority: -5, queue: ranked, tasks: [ A ] }
t.MIDDLE: { queue: ranked, tasks: [ A ] }
t.HIGH: { priority: 7, queue: ranked, tasks: [ A, B ] }
t.FEW: { queue: few, tasks: [ A, B ] }
t.SLOW: { queue: slow, tasks: [ A ] }
t.CUSTOM: { queue: { default: plain, customs: { B: special } }, tasks: [ A, B ] }
t.BOTH: { tasks: [ { G: { type: group, tasks: [ { A: { queue: left } }, { B: { queue: right } } ] } } ] }
`;
const queues = `
few: { concurrency: 2 }
slow: { rate: "2/h" }
left: { concurrency: 50 }
right: { concurrency: 50 }
`;

let app: WorkflowApp;
beforeAll(async () => {
  app = await startWorkflowApp({ workflows, files: { 'queues.yml': queues } });
});

const claim = (queue: string, max = 100) => app.worker().claim({ queues: [queue], max });

test('higher priority goes first, then who came first', async () => {
  const order: string[] = [];
  for (const name of ['LOW', 'MIDDLE', 'HIGH', 'MIDDLE', 'LOW', 'HIGH']) order.push((await app.start(`t.${name}`)).id);
  const first = await claim('ranked', 2);
  expect(first.map(({ instance }) => instance.id)).toEqual([order[2], order[5]]);
  // What follows in an instance has its priority.
  for (const task of first) await app.worker().complete(task);
  expect((await claim('ranked')).map(({ instance }) => instance.id)).toEqual(
    [2, 5, 1, 3, 0, 4].map((place) => order[place]),
  );
});

test('a worker is given only what it asks for', async () => {
  const { id } = await app.start('t.CUSTOM');
  expect(await claim('special')).toEqual([]);
  expect(await app.worker().claim({ queues: ['plain'], tasks: ['B'] })).toEqual([]);
  expect(await app.worker().claim({ queues: ['plain', '~service'], max: 0 })).toEqual([]);
  const [a] = await claim('plain');
  expect((await app.worker().complete(a, 1, { queues: ['plain'], max: 5 })).tasks).toEqual([]);
  const [b] = await claim('special');
  expect([b.key, b.queue]).toEqual(['B', 'special']);
  await app.worker().complete(b);
  expect((await app.detail(id)).status).toBe('success');
});

test('no more tasks of a queue run at once than it allows, however they are asked for', async () => {
  for (let n = 0; n < 5; n++) await app.start('t.FEW');
  const several = await Promise.all(Array.from({ length: 6 }, () => claim('few', 3)));
  const running = several.flat();
  expect(running).toHaveLength(2);
  // One ends: its place is for one other, whether it comes with the answer or not.
  const { tasks } = await app.worker().complete(running[0], null, { queues: ['few'], max: 10 });
  expect(tasks).toHaveLength(1);
  expect(await claim('few')).toEqual([]);
  await app.worker().report({ released: [running[1], ...tasks].map(({ id, attempt }) => ({ id, attempt })) });
  expect(await claim('few')).toHaveLength(2);
});

test('a rate lets so many begin and no more', async () => {
  for (let n = 0; n < 5; n++) await app.start('t.SLOW');
  expect(await claim('slow')).toHaveLength(1);
  expect(await claim('slow')).toEqual([]);
  const wind = (minutes: number) =>
    app.database.pool.query(
      `update workflow_queues set refilled_at = refilled_at - make_interval(mins => $1) where name = 'slow'`,
      [minutes],
    );
  await wind(31);
  expect(await claim('slow')).toHaveLength(1);
  await wind(600);
  expect(await claim('slow')).toHaveLength(1);
});

test('workers that name limited queues in different orders do not get into each other’s way', async () => {
  for (let n = 0; n < 20; n++) await app.start('t.BOTH');
  const claims = Array.from({ length: 40 }, (_, n) =>
    app.worker(`w${n}`).claim({ queues: n % 2 ? ['left', 'right'] : ['right', 'left'], max: 2 }),
  );
  const ids = (await Promise.all(claims)).flat().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength(40);
});
