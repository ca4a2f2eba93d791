import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminToken } from '../../test/harness/app.ts';
import { silentLog } from '../../test/harness/database.ts';
import { startWorkflowApp, until, type WorkflowApp } from '../../test/harness/workflows.ts';
import { createEventsService, type WorkflowEvent } from './events.service.ts';
import { createEventsStore, type EventBatch } from './events.store.ts';

const workflows = `
t.CHAIN: { tasks: [ A, B ] }
t.EMIT: { tasks: [ { E: { run: emit, with: { type: ding, data: { n: "{{payload.n}}" } } } } ] }
`;

let app: WorkflowApp;
let url: string;
beforeAll(async () => {
  app = await startWorkflowApp({ workflows });
  url = await app.listen();
});

// The client keeps connections ready that it never used, and a server that stops waits for those.
afterAll(() => app.server.server.closeAllConnections());

type Told = { id: string; event: string; data: Record<string, string> & { data?: object } };

/** Listens over a real connection until it is closed. */
async function listen(query = '', headers: Record<string, string> = {}) {
  const closing = new AbortController();
  const answer = await fetch(`${url}/api/events${query}`, {
    headers: { authorization: `Bearer ${adminToken}`, ...headers },
    signal: closing.signal,
  });
  expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const told: Told[] = [];
  const reading = (async () => {
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
        const event = field('event');
        if (event !== undefined) told.push({ id: field('id') ?? '', event, data: JSON.parse(field('data') ?? '') });
      }
    }
  })().catch(() => undefined);
  return {
    told,
    async close() {
      closing.abort();
      await reading;
    },
  };
}

const short = ({ event, data }: Told) =>
  event === 'task' ? `${data['key']} ${data['status']}` : `${event} ${data['status']}`;
const isOver = (told: Told[], id: string) =>
  told.some(({ event, data }) => event === 'instance' && data['instance_id'] === id && data['status'] === 'success');

test('state changes come in the order in which they happened', async () => {
  const { told, close } = await listen();
  const { id } = await app.start('t.CHAIN');
  await app.run(id);
  await until(() => isOver(told, id), 'the end was told');
  const mine = told.filter(({ data }) => data['instance_id'] === id);
  expect(mine.map(short).filter((line) => !line.startsWith('instance'))).toEqual([
    'A progress',
    'A success',
    'B progress',
    'B success',
  ]);
  expect(mine.map(short).filter((line) => line.startsWith('instance'))).toEqual([
    'instance pending',
    'instance progress',
    'instance success',
  ]);
  expect(new Set(told.map((one) => one.id)).size).toBe(told.length);
  await close();
});

test('whoever comes back with an id gets all that happened since, once', async () => {
  const all = await listen();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push((await app.start('t.CHAIN', { n })).id);
  for (const id of ids) await app.run(id);
  await until(() => ids.every((id) => isOver(all.told, id)), 'all is told');
  const places = all.told.map(({ id }) => id);
  for (const place of [0, 1, Math.floor(places.length / 2), places.length - 1]) {
    const again = await listen('', { 'last-event-id': places[place] });
    const { id } = await app.start('t.CHAIN');
    await app.run(id);
    await until(() => isOver(again.told, id), 'the new one is told');
    const seen = again.told.map((one) => one.id);
    expect(seen.slice(0, places.length - place - 1)).toEqual(places.slice(place + 1));
    expect(new Set(seen).size).toBe(seen.length);
    await again.close();
    await until(() => isOver(all.told, id), 'all is told here too');
    places.push(...all.told.slice(places.length).map((one) => one.id));
  }
  await all.close();
});

test('a place that is not kept is answered with a reset', async () => {
  for (const lost of ['999999999-0', 'nonsense', '0-0']) {
    const { told, close } = await listen(`?after=${lost}`);
    await until(() => told.length > 0, 'it is told');
    expect(told[0].event).toBe('reset');
    await close();
  }
});

test('batches are ordered by number, not by the letters of the number', async () => {
  const { pool } = app.database;
  const store = createEventsStore(pool);
  const { rows } = await pool.query(
    `insert into workflow_events (xid, changes) select x::text::xid8, '[]' from unnest(array[9, 100, 10, 99, 11]) x returning xid::text as xid, id`,
  );
  const seen: string[] = [];
  let place = { xid: '0', id: '0' };
  while (seen.length < 5) {
    const batches = await store.listAfter(place, 2);
    seen.push(...batches.map(({ xid }) => xid));
    place = batches[batches.length - 1];
  }
  expect(seen.slice(0, 5)).toEqual(['9', '10', '11', '99', '100']);
  await pool.query('delete from workflow_events where id = any ($1)', [rows.map(({ id }) => id)]);
});

test('one instance alone, and events of one’s own', async () => {
  const { id } = await app.start('t.EMIT', { n: 5 });
  await app.ended(id);
  const other = await app.start('t.CHAIN');
  const { told, close } = await listen(`?instance=${other.id}`);
  const custom = await listen();
  // What was committed just before may still come: somebody's older transaction was open then.
  const isMine = ({ event, data }: Told) => event === 'custom' && JSON.stringify(data['data']) === '{"n":6}';
  await app.start('t.EMIT', { n: 6 });
  await app.run(other.id);
  await until(() => isOver(told, other.id) && custom.told.some(isMine), 'both are told');
  expect(new Set(told.map(({ data }) => data['instance_id']))).toEqual(new Set([other.id]));
  expect(custom.told.find(isMine)?.data).toMatchObject({ type: 'ding' });
  await Promise.all([close(), custom.close()]);
});

test('readers that come and go while things happen miss nothing and hear nothing twice', async () => {
  const all = await listen();
  const work = (async () => {
    for (let n = 0; n < 12; n++) await app.run((await app.start('t.CHAIN', { n })).id);
    return (await app.start('t.EMIT', { n: 99 })).id;
  })();
  // One reader that breaks off again and again and goes on where it was.
  const seen: string[] = [];
  let isDone = false;
  void work.finally(() => (isDone = true));
  await until(() => all.told.length > 0, 'it has begun');
  const firstPlace = all.told[0].id;
  const isAllHeard = async () =>
    isDone && (await app.detail(await work)).finished !== null && seen.includes(all.told.at(-1)?.id ?? '');
  for (let rounds = 0; !(await isAllHeard()); rounds++) {
    const reader = await listen('', { 'last-event-id': seen.at(-1) ?? firstPlace });
    // Ever longer: on a slow machine the first of them hear nothing.
    await new Promise((resolve) => setTimeout(resolve, (rounds % 5) * (10 + rounds)));
    await reader.close();
    seen.push(...reader.told.map(({ id }) => id));
  }
  const places = all.told.map(({ id }) => id);
  expect(seen).toEqual(places.slice(1, 1 + seen.length));
  expect(seen.length).toBe(places.length - 1);
  await all.close();
});

test('readers that begin at the same moment share one beginning', async () => {
  // The second asks where the end is while the first is already there: what came between must reach the first.
  const batch = (id: number): EventBatch => ({
    xid: String(id),
    id: String(id),
    at: new Date(0),
    changes: [['i', `i${id}`, 't', 'X', 'pending']],
  });
  let stored = [batch(1)];
  const pending: (() => void)[] = [];
  const store = {
    ...createEventsStore(app.database.pool),
    async end() {
      await new Promise<void>((resolve) => pending.push(resolve));
      return { xid: stored[stored.length - 1].xid, id: stored[stored.length - 1].id };
    },
    listAfter: async ({ id }: { id: string }) => stored.filter((one) => Number(one.id) > Number(id)),
  };
  const events = createEventsService({ store, log: silentLog });
  const told: Record<string, string[]> = { first: [], second: [] };
  const reader = (name: string) => ({
    push: (news: WorkflowEvent[]) => void told[name].push(...news.map(({ id }) => id)),
    end: () => undefined,
  });
  const first = events.subscribe(reader('first'), undefined);
  const second = events.subscribe(reader('second'), undefined);
  pending.shift()?.();
  await first;
  stored = [...stored, batch(2)];
  for (const resolve of pending.splice(0)) resolve();
  await second;
  events.wake();
  await until(() => told['first'].length > 0, 'it is told');
  expect(told).toEqual({ first: ['2-0'], second: ['2-0'] });
  events.close();
});

test('logs are kept in order, a page at a time, also what came after the end', async () => {
  const { id } = await app.start('t.CHAIN');
  const worker = app.worker();
  const task = await worker.take();
  const lines = Array.from({ length: 1500 }, (_, n) => `line ${n}`);
  await worker.report({ logs: [{ id: task.id, attempt: 1, lines }] });
  await worker.complete(task, null, { logs: [{ id: task.id, lines: ['last \u0000 words'] }] });
  await worker.report({
    logs: [
      { id: task.id, lines: ['afterwards'] },
      { id, lines: ['of no task'] },
    ],
  });
  const seen: string[] = [];
  let after = 0;
  for (;;) {
    const page = await app.arrange('GET', `/api/workflows/${id}/tasks/${task.id}/logs?after=${after}`);
    if (page.lines.length === 0) break;
    seen.push(...page.lines.map(({ line }: { line: string }) => line));
    after = page.next;
  }
  expect(seen).toEqual([...lines, 'last \ufffd words', 'afterwards']);
  expect((await app.tryTo('GET', `/api/workflows/${id}/tasks/${id}/logs`)).status).toBe(404);
  const { lines: all } = await app.arrange('GET', `/api/workflows/${id}/tasks/${task.id}/logs`);
  const follow = `${url}/api/workflows/${id}/tasks/${task.id}/logs?follow=true`;
  const lastId = String(all[998].id);
  const answer = await fetch(follow, { headers: { authorization: `Bearer ${adminToken}`, 'last-event-id': lastId } });
  const [first] = /"line \d+"/.exec(await answer.text()) ?? [];
  expect(first).toBe('"line 999"');
  await app.run(id);
});
