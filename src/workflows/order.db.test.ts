import { beforeAll, expect, test } from 'vitest';
import { startWorkflowApp, statusesOf, taskOf, type WorkflowApp } from '../../test/harness/workflows.ts';
import type { WorkerTask } from './worker.schemas.ts';

/** In which order tasks are handed out, and what they are told of those before them. */

const workflows = `
t.CHAIN: { tasks: [ A, B, C ] }
t.GROUP:
  tasks:
    - A
    - BOTH: { type: group, tasks: [ B, C ] }
    - D
t.ONE: { tasks: [ { G: { type: group, tasks: [ A ] } }, B ] }
t.NESTED:
  tasks:
    - A
    - BOTH: { type: group, tasks: [ B, { THEN: { type: chain, tasks: [ C, D ] } } ] }
    - E
t.NEEDS:
  tasks:
    - A: { needs: [] }
    - B: { needs: [] }
    - C: { needs: [ A ] }
    - D: { needs: [ A, B ] }
    - E: { needs: [ C, D ] }
t.WHEN:
  tasks:
    - A
    - B: { when: "payload.total > 10" }
    - C: { when: "results.A == 'A'" }
    - D
t.WITH: { tasks: [ A, { X: { run: B, with: { text: "{{payload.id}} after {{results.A}}", whole: "{{payload}}" } } } ] }
t.BAD_WHEN: { tasks: [ A, { B: { when: "payload.list > 1" } }, C ] }
`;

let app: WorkflowApp;
beforeAll(async () => {
  app = await startWorkflowApp({ workflows });
});

/** Keys in the order in which they were handed out, each round done together. */
async function roundsOf(
  fullname: string,
  payload = {},
): Promise<{ rounds: string[][]; seen: Map<string, WorkerTask> }> {
  const { id } = await app.start(fullname, payload);
  const worker = app.worker();
  const rounds: string[][] = [];
  const seen = new Map<string, WorkerTask>();
  for (;;) {
    const tasks = await worker.claim({ max: 100 });
    const mine = tasks.filter(({ instance }) => instance.id === id);
    if (mine.length === 0 && (await app.detail(id)).finished !== null) break;
    if (mine.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      continue;
    }
    rounds.push(mine.map(({ key }) => key));
    for (const task of mine) {
      seen.set(task.key, task);
      await worker.complete(task);
    }
  }
  expect((await app.detail(id)).status).toBe('success');
  return { rounds, seen };
}

test('a chain runs one after the other and hands results on', async () => {
  const { rounds, seen } = await roundsOf('t.CHAIN');
  expect(rounds).toEqual([['A'], ['B'], ['C']]);
  expect(seen.get('A')).toMatchObject({ previous: null, results: {}, attempt: 1 });
  expect(seen.get('B')).toMatchObject({ previous: 'A', results: { A: 'A' } });
  expect(seen.get('C')).toMatchObject({ previous: 'B', results: { A: 'A', B: 'B' } });
});

test('the members of a group run together and what follows gets a list', async () => {
  const { rounds, seen } = await roundsOf('t.GROUP');
  expect(rounds).toEqual([['A'], ['B', 'C'], ['D']]);
  expect(seen.get('C')?.previous).toBe('A');
  expect(seen.get('D')?.previous).toEqual(['B', 'C']);
});

test('a group of one still gives a list', async () => {
  const { seen } = await roundsOf('t.ONE');
  expect(seen.get('B')?.previous).toEqual(['A']);
});

test('a chain within a group goes its own pace', async () => {
  const { rounds, seen } = await roundsOf('t.NESTED');
  expect(rounds).toEqual([['A'], ['B', 'C'], ['D'], ['E']]);
  expect(seen.get('E')?.previous).toEqual(['B', 'D']);
});

test('needs take the place of position', async () => {
  const { rounds, seen } = await roundsOf('t.NEEDS');
  expect(rounds).toEqual([['A', 'B'], ['C', 'D'], ['E']]);
  expect(seen.get('C')?.previous).toBe('A');
  expect(seen.get('D')?.previous).toEqual(['A', 'B']);
  expect(seen.get('E')?.results).toEqual({ A: 'A', B: 'B', C: 'C', D: 'D' });
});

test('a condition that is false skips the task and what follows runs', async () => {
  const few = await roundsOf('t.WHEN', { total: 1 });
  expect(few.rounds).toEqual([['A'], ['C'], ['D']]);
  expect(few.seen.get('C')?.previous).toBeNull();
  expect(few.seen.get('C')?.attempt).toBe(1);
  const many = await roundsOf('t.WHEN', { total: 11 });
  expect(many.rounds).toEqual([['A'], ['B'], ['C'], ['D']]);
});

test('a skipped task says so in the detail of the instance', async () => {
  const { id } = await app.start('t.WHEN', { total: 1 });
  const instance = await app.run(id);
  expect(statusesOf(instance)).toEqual({ A: 'success', B: 'skipped', C: 'success', D: 'success' });
  expect(taskOf(instance, 'B')).toMatchObject({ status: 'success', result: null });
});

test('arguments are filled in when the task is handed out', async () => {
  const { seen } = await roundsOf('t.WITH', { id: 7 });
  expect(seen.get('X')).toMatchObject({ run: 'B', with: { text: '7 after A', whole: { id: 7 } } });
});

test('a condition that cannot be evaluated fails its task and cancels what follows', async () => {
  const { id } = await app.start('t.BAD_WHEN', { list: 'abc' });
  const instance = await app.run(id);
  expect(instance.status).toBe('error');
  expect(statusesOf(instance)).toEqual({ A: 'success', B: 'error', C: 'canceled' });
  expect(taskOf(instance, 'B').error?.message).not.toBe('');
});

test('the detail shows the graph, the times and who did it', async () => {
  const { id, created } = await app.start('t.GROUP', { n: 1 });
  const before = await app.detail(id);
  expect(before).toMatchObject({ status: 'pending', started: null, finished: null, payload: { n: 1 } });
  expect(before.tasks.map(({ status, attempt }) => [status, attempt])).toEqual(
    Array.from({ length: 4 }, () => ['pending', 0]),
  );
  const instance = await app.run(id);
  const [a, b, c, d] = instance.tasks;
  expect(instance.tasks.map(({ key }) => key)).toEqual(['A', 'B', 'C', 'D']);
  expect([b.previous, c.previous, d.previous]).toEqual([[a.id], [a.id], [b.id, c.id]]);
  expect(instance.created).toBe(created);
  for (const { started, finished, worker, attempt } of instance.tasks) {
    expect(started && finished && started <= finished).toBe(true);
    expect([worker, attempt]).toEqual(['runner', 1]);
  }
  expect(String(instance.finished) >= String(d.finished)).toBe(true);
});

test('tasks that became ready come with the answer to a report, up to max', async () => {
  const { id } = await app.start('t.GROUP');
  const worker = app.worker();
  const a = await worker.take();
  const { tasks: first } = await worker.complete(a, 'a', { max: 1 });
  expect(first).toMatchObject([{ key: 'B', previous: 'a', attempt: 1 }]);
  expect(statusesOf(await app.detail(id))).toEqual({ A: 'success', B: 'progress', C: 'pending', D: 'pending' });
  const other = app.worker('worker-2');
  const [c] = await other.claim({ max: 5 });
  expect((await worker.complete(first[0], 'b', { max: 5 })).tasks).toEqual([]);
  expect((await other.complete(c, 'c', { max: 5 })).tasks).toMatchObject([{ key: 'D', previous: ['b', 'c'] }]);
  await app.tryTo('POST', `/api/workflows/${id}/cancel`);
});
