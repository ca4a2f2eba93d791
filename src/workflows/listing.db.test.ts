import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { type Instance, startWorkflowApp, type WorkflowApp } from '../../test/harness/workflows.ts';
import { createInstanceList, type InstanceFilter } from './instance-list.store.ts';

const workflows = `
t.ONE: { tasks: [ A ] }
t.TWO: { tasks: [ A, B ] }
u.ONE: { tasks: [ A ] }
`;

let app: WorkflowApp;
beforeAll(async () => {
  app = await startWorkflowApp({ workflows });
});

const list = async (
  query: string,
): Promise<{ ids: string[]; total: number; next: string | undefined; body: Instance[] }> => {
  const { headers, body } = await app.tryTo('GET', `/api/workflows?${query}`);
  const next = /<([^>]*)>; rel="next"/.exec(String(headers['link']))?.[1];
  return { ids: body.map(({ id }: Instance) => id), total: Number(headers['x-total-count']), next, body };
};

test('pages follow each other without gaps, newest first', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 7; n++) ids.unshift((await app.start('t.ONE', { n })).id);
  const seen: string[] = [];
  let url: string | undefined = '/api/workflows?per_page=3&project=t&name=ONE';
  const sizes: number[] = [];
  while (url !== undefined) {
    const page = await list(url.split('?')[1]);
    expect(page.total).toBe(7);
    seen.push(...page.ids);
    sizes.push(page.ids.length);
    url = page.next;
  }
  expect(seen).toEqual(ids);
  expect(sizes).toEqual([3, 3, 1]);
  expect(await list('per_page=3&page=9&name=ONE')).toMatchObject({ ids: [], next: undefined });
  expect((await list('per_page=7&project=t&name=ONE')).next).toBeUndefined();
  const [bare] = (await list('with_payload=false')).body;
  expect('payload' in bare).toBe(false);
});

test('odd parameters are refused by name, unknown ones ignored', async () => {
  for (const query of ['page=0', 'per_page=-1', 'per_page=x', 'status=odd', 'since=yesterday', 'periodic=maybe']) {
    const { status, body } = await app.tryTo('GET', `/api/workflows?${query}`);
    expect([query, status]).toEqual([query, 400]);
    expect(JSON.stringify(body)).toContain(query.split('=')[0]);
  }
  expect((await app.tryTo('GET', '/api/workflows?unknown=1')).status).toBe(200);
});

type Step =
  | { do: 'start'; what: string; hoursAgo: number }
  | { do: 'cancel' | 'finish' | 'delete' | 'fold'; n: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('start' as const),
      what: fc.constantFrom('t.ONE', 't.TWO', 'u.ONE'),
      hoursAgo: fc.nat({ max: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('cancel' as const, 'finish' as const, 'delete' as const, 'fold' as const),
      n: fc.nat(),
    }),
  },
);
const hourMs = 3_600_000;
const moment = fc.option(fc.integer({ min: -6 * hourMs, max: hourMs }), { nil: undefined });
const filter = fc.record({
  project: fc.constantFrom(undefined, 't', 'u', 'none'),
  name: fc.constantFrom(undefined, 'ONE', 'TWO'),
  status: fc.constantFrom(undefined, 'pending', 'canceled', 'success'),
  periodic: fc.constantFrom(undefined, false, true),
  since: moment,
  until: moment,
});

test('the total is what counting the rows gives, whatever happened', { timeout: 120_000 }, async () => {
  const { pool } = app.database;
  const list = createInstanceList(pool);
  const known: string[] = [];
  const act = async (one: Step): Promise<void> => {
    if (one.do === 'fold') return void (await pool.query('select workflow_fold_counts()'));
    if (one.do === 'start') {
      const { id } = await app.start(one.what);
      known.push(id);
      // As if it had been started then: out and in again, as the triggers see it.
      if (one.hoursAgo === 0) return;
      await pool.query(`create table if not exists moved as select * from workflow_instances where false`);
      await pool.query(
        `with gone as (delete from workflow_instances where id = $1 returning *) insert into moved select * from gone`,
        [id],
      );
      await pool.query(`update moved set created_at = created_at - make_interval(mins => $1 * 47)`, [one.hoursAgo]);
      await pool.query(
        `with gone as (delete from moved returning *) insert into workflow_instances select * from gone`,
      );
      return;
    }
    const id = known[one.n % known.length];
    if (id === undefined) return;
    if (one.do === 'cancel') await app.tryTo('POST', `/api/workflows/${id}/cancel`);
    if (one.do === 'delete') await app.tryTo('DELETE', `/api/workflows/${id}`);
    if (one.do === 'finish') {
      const [task] = await app.worker().claim({ max: 1 });
      if (task) await app.worker().complete(task);
    }
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.array(filter, { minLength: 4, maxLength: 8 }),
      async (steps, filters) => {
        for (const one of steps) await act(one);
        const now = Date.now();
        for (const { since, until, ...rest } of filters) {
          const asked: InstanceFilter = {
            ...rest,
            since: since === undefined ? undefined : new Date(now + since),
            // Often on the very edge of an hour, where whole hours and single rows meet.
            until:
              until === undefined
                ? undefined
                : new Date(until % 2 ? now + until : Math.floor((now + until) / hourMs) * hourMs - 1),
          };
          const rows = await list.page(asked, { limit: 100_000, offset: 0, withPayload: false });
          expect(await list.count(asked), JSON.stringify(asked)).toBe(rows.length);
        }
      },
    ),
    { numRuns: 25 },
  );
});

test('the last moment of an hour is told apart from the next hour', async () => {
  const { pool } = app.database;
  const { id } = await app.start('u.ONE');
  await pool.query('delete from workflow_instances where id <> $1', [id]);
  await pool.query(`create table edge as select * from workflow_instances`);
  await pool.query('delete from workflow_instances');
  await pool.query(`update edge set created_at = '2026-01-01T12:59:59.9995Z'`);
  await pool.query('insert into workflow_instances select * from edge');
  const count = async (until: string) => (await list(`since=2026-01-01T00:00:00Z&until=${until}`)).total;
  const rows = async (until: string) => (await list(`since=2026-01-01T00:00:00Z&until=${until}`)).ids.length;
  for (const until of ['2026-01-01T12:59:59.999Z', '2026-01-01T13:00:00Z', '2026-01-01T12:59:59Z']) {
    expect([until, await count(until)]).toEqual([until, await rows(until)]);
  }
});
