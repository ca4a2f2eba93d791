import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { runCommand } from './harness/command.ts';
import { newTestDirectory } from './harness/database.ts';
import { beginEvents, type Handler, serveWorkflows, type WorkflowServer } from './harness/workflow-server.ts';

const id = '0193a2b4-0000-7000-8000-000000000001';
const otherId = '0193a2b4-ffff-7000-8000-000000000002';
const taskId = (number: number) => `0193a2b4-0000-7000-8000-1000000000${String(number).padStart(2, '0')}`;
const at = (seconds: number) => `2026-11-15T02:08:${seconds.toFixed(6).padStart(9, '0')}+00:00`;

const instance = {
  id,
  project: 'shop',
  name: 'ORDER',
  fullname: 'shop.ORDER',
  payload: { id: 'A-7' },
  periodic: false,
  status: 'pending',
  created: at(0),
  updated: at(0),
  comment: null,
  relaunched_from: null,
  started: null as string | null,
  finished: null as string | null,
};
const task = (number: number, key: string, previous: number[], more: object = {}) => ({
  id: taskId(number),
  task: taskId(number),
  key,
  previous: previous.map(taskId),
  status: 'pending',
  created: at(0),
  updated: at(0),
  result: null,
  is_hook: false,
  attempt: 1,
  started: null as string | null,
  finished: null as string | null,
  worker: null,
  error: null,
  ...more,
});
const done = (from: number, to: number) => ({
  status: 'success',
  started: at(from),
  finished: at(to),
  updated: at(to),
});
const failure = {
  ...done(1, 3.5),
  status: 'error',
  attempt: 3,
  worker: 'host:12',
  error: { message: 'connection refused', stack: 'Error: connection refused\n    at PAY (tasks/pay.ts:3:9)' },
};
const failed = {
  ...instance,
  status: 'error',
  started: at(0.5),
  finished: at(4),
  comment: 'for the audit',
  tasks: [
    task(1, 'RESERVE', [], done(0.5, 1)),
    task(2, 'PAY', [1], failure),
    task(3, 'LABEL', [1], done(1, 1.25)),
    task(4, 'SHIP', [2, 3], { status: 'canceled' }),
    task(5, 'PAGE', [], { ...done(3.5, 4), is_hook: true }),
  ],
};

let server: WorkflowServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
const serve = async (routes: Record<string, Handler>) => {
  server = await serveWorkflows(routes);
  const env = { FAULTLINE_URL: server.url, FAULTLINE_TOKEN: 'token-of-the-tests' };
  return { server, run: (args: string[], input?: string) => runCommand(['workflow', ...args], { env, input }) };
};
const always = (body: unknown, status = 200, headers: Record<string, string> = {}): Handler => () => ({ status, body, headers }); // biome-ignore format: one line
const line = (text: string) => text.split(' ');

describe('list and show', () => {
  test('filters are passed on, and what is not shown is counted', async () => {
    const rows = [
      { ...instance, status: 'progress' },
      { ...instance, id: otherId, status: 'success', started: at(0), finished: at(2.5), periodic: true },
    ];
    const { server, run } = await serve({ 'GET /api/workflows': always(rows, 200, { 'x-total-count': '1234' }) });
    const outcome = await run(line('list --project shop --status running --no-periodic --since 2026-11-01 --limit 2'));
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toBe(`WORKFLOW    STATUS     CREATED (UTC)        TOOK   BY        ID
shop.ORDER  ◐ running  2026-11-15 02:08:00         request   ${id}
shop.ORDER  ● success  2026-11-15 02:08:00  2.5 s  schedule  ${otherId}

2 of 1,234; --limit shows more, --json all their fields.
`);
    expect(Object.fromEntries(server.calls[0]?.query ?? [])).toEqual({
      project: 'shop',
      status: 'progress',
      periodic: 'false',
      since: '2026-11-01T00:00:00.000Z',
      with_payload: 'false',
      per_page: '2',
      page: '1',
    });
  });

  test('more than a page is read page by page, and an instance met twice is listed once', async () => {
    const rows = Array.from({ length: 1500 }, (_, index) => ({ ...instance, id: `0193a2b4-0000-7000-8000-${String(index).padStart(12, '0')}` })); // biome-ignore format: one line
    const { run } = await serve({
      'GET /api/workflows': ({ query }) => {
        // One new instance has come in between: the pages have moved by one.
        const from = query.get('page') === '1' ? 0 : 999;
        return { body: rows.slice(from, from + Number(query.get('per_page'))) };
      },
    });
    const listed = JSON.parse((await run(line('list --limit 1400 --json'))).stdout);
    expect(listed.map((each: { id: string }) => each.id)).toEqual(rows.slice(0, 1400).map((row) => row.id));
  });

  test('an instance is shown as a graph with times, attempts and errors, and with its logs if asked', async () => {
    const logs = [{ id: 7, attempt: 1, at: at(2), line: 'calling\tthe bank' }, { id: 9, attempt: 2, at: at(3), line: 'again' }]; // biome-ignore format: one line
    const routes: Record<string, Handler> = {
      [`GET /api/workflows/${id}`]: always(failed),
      'GET /api/workflows': always([instance, { ...instance, id: otherId }]),
    };
    for (const { id: each } of failed.tasks) {
      routes[`GET /api/workflows/${id}/tasks/${each}/logs`] = ({ query }) => {
        const lines = each === taskId(2) ? logs.filter((log) => log.id > Number(query.get('after'))).slice(0, 1) : [];
        return { body: { lines, next: lines[0]?.id ?? Number(query.get('after')) } };
      };
    }
    const { run } = await serve(routes);
    const outcome = await run(line('show 0193a2b4-00 --logs'));
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toBe(`shop.ORDER  ✗ error  3.5 s  4 of 4 tasks  ${id}
created  2026-11-15 02:08:00 UTC
payload  {"id":"A-7"}
comment  for the audit

●   RESERVE  500 ms
├─┐
✗ │ PAY       2.5 s  attempt 3  connection refused
│ ● LABEL    250 ms
├─┘
⊘   SHIP

Hooks
●   PAGE     500 ms

PAY (attempt 3, on host:12)
  Error: connection refused
      at PAY (tasks/pay.ts:3:9)

Log of PAY
02:08:02.000  calling  the bank
02:08:03.000  #2  again
`);
    const shown = await run(['logs', id, 'PAY']);
    expect(shown.stdout).toBe('02:08:02.000  calling  the bank\n02:08:03.000  #2  again\n');
    expect(JSON.parse((await run(['show', id, '--json'])).stdout)).toEqual(failed);
  });

  test('a beginning that several ids have, or none, is refused', async () => {
    const { run } = await serve({ 'GET /api/workflows': always([instance, { ...instance, id: otherId }]) });
    const several = await run(line('show 0193a2b4'));
    expect(several).toMatchObject({ code: 1, stdout: '' });
    expect(several.stderr).toContain(
      `2 instances have ids that begin or end with "0193a2b4"; give more of one: ${id}, ${otherId}`,
    );
    expect((await run(line('show 0002'))).stderr).toMatch(new RegExp(`There is no /api/workflows/${otherId}`));
    expect((await run(line('cancel abcd'))).stderr).toMatch(/None of the newest 1,000 instances/);
    expect((await run(line('watch ../../x'))).stderr).toMatch(/neither an instance's id nor its beginning/);
  });

  test('definitions show their schedules', async () => {
    const { run } = await serve({
      'GET /api/definitions': always([
        { fullname: 'shop.NIGHT', project: 'shop', name: 'NIGHT', periodic: { crontab: '0 2 * * *', timezone: 'Europe/Paris', payload: {} }, next_run: '2026-11-16T01:00:00Z', paused: false, tasks: ['A'] }, // biome-ignore format: one line
        { fullname: 'shop.ORDER', project: 'shop', name: 'ORDER', tasks: ['A', { G: { type: 'group', tasks: ['B', { C: { type: 'chain', tasks: ['D', 'E'] } }] } }] }, // biome-ignore format: one line
        { fullname: 'shop.TICK', project: 'shop', name: 'TICK', periodic: { interval: 60, payload: {} }, next_run: null, paused: true, tasks: ['A'] }, // biome-ignore format: one line
      ]),
    });
    expect((await run(['definitions'])).stdout).toBe(`WORKFLOW    SCHEDULE                NEXT RUN (UTC)    TASKS
shop.NIGHT  0 2 * * * Europe/Paris  2026-11-16 01:00  1
shop.ORDER  -                       -                 4
shop.TICK   every 60 s              paused            1
`);
  });
});

describe('starting and steering', () => {
  test('the payload is put together, and the key sent', async () => {
    const { server, run } = await serve({ 'POST /api/workflows': always(instance, 201) });
    const file = join(await newTestDirectory(), 'payload.json');
    writeFileSync(file, '{"id": "A-7", "total": 1}');
    const outcome = await run(['run', 'shop.ORDER', '--payload-file', file, '-p', 'total=3', '-p', 'note=a = b', '--comment', 'x', '--idempotency-key', 'k1']); // biome-ignore format: one line
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toBe(`Started shop.ORDER: ${id}\n"faultline workflow watch ${id}" shows how it goes.\n`);
    expect(server.calls[0]?.headers['idempotency-key']).toBe('k1');
    expect(server.calls[0]?.body).toEqual({
      project: 'shop',
      name: 'ORDER',
      payload: { id: 'A-7', total: 3, note: 'a = b' },
      comment: 'x',
    });
    await run(['run', 'shop.ORDER', '--payload-file', '-', '--json'], '{"from": "stdin"}');
    expect(server.calls[1]?.body).toEqual({ project: 'shop', name: 'ORDER', payload: { from: 'stdin' } });
  });

  test.each([
    ['no JSON', ['run', 'shop.ORDER', '--payload', '{'], /The payload from --payload is not JSON/],
    ['no object', ['run', 'shop.ORDER', '--payload', '[1]'], /not an object/],
    ['no file', ['run', 'shop.ORDER', '--payload-file', '/nowhere/x'], /\/nowhere\/x cannot be read \(ENOENT\)/],
    ['both', ['run', 'shop.ORDER', '--payload', '{}', '--payload-file', 'x'], /not both/],
    ['no project', ['run', 'ORDER'], /PROJECT\.NAME/],
    ['no key', ['run', 'shop.ORDER', '-p', 'x'], /KEY=VALUE/],
    ['no status', ['list', '--status', 'fine'], /"fine" is no status; there are pending/],
    ['no time', ['list', '--since', 'soon'], /2026-11-15/],
  ])('%s: exit code 2, and nothing is asked', async (_what, args, message) => {
    const { server, run } = await serve({});
    const outcome = await run(args);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toMatch(message);
    expect(server.calls).toEqual([]);
  });

  test('all complaints about a payload are printed', async () => {
    const details = [{ path: '/id', message: 'must be text' }, { path: '/total', message: 'must be there' }]; // biome-ignore format: one line
    const body = { error: 'bad_request', message: 'The payload does not fit.', details };
    const { run } = await serve({ 'POST /api/workflows': always(body, 400) });
    const outcome = await run(['run', 'shop.ORDER']);
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toBe('faultline: The payload does not fit.\n  /id: must be text\n  /total: must be there\n');
  });

  test('cancel, retry, relaunch, approve, pause and resume', async () => {
    const fresh = { ...instance, id: otherId, relaunched_from: id };
    const { server, run } = await serve({
      [`POST /api/workflows/${id}/cancel`]: always(instance, 201),
      [`POST /api/workflows/${id}/retry`]: always(fresh, 201),
      [`POST /api/workflows/${id}/relaunch`]: always(fresh, 201),
      [`GET /api/workflows/${id}`]: always(failed),
      [`POST /api/workflows/${id}/tasks/${taskId(4)}/approve`]: always({}),
      'POST /api/definitions/shop.ORDER/pause': always({}),
      'POST /api/definitions/shop.ORDER/resume': always({}),
    });
    expect((await run(['cancel', id])).stdout).toBe(`Canceled ${id}; tasks that run are told to stop.\n`);
    expect((await run(['retry', id])).stdout).toContain(`Started again shop.ORDER: ${otherId}\n`);
    expect((await run(['relaunch', id])).stdout).toContain(`Relaunched shop.ORDER: ${otherId}\n`);
    expect((await run(['approve', id, 'SHIP'])).stdout).toBe('Approved SHIP of shop.ORDER.\n');
    expect((await run(['pause', 'shop.ORDER'])).stdout).toBe('The schedule of shop.ORDER is paused.\n');
    expect((await run(['resume', 'shop.ORDER'])).stdout).toBe('The schedule of shop.ORDER goes on.\n');
    const unknown = await run(['approve', id, 'SHOP']);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toMatch(/has no task "SHOP" in this instance; there are RESERVE, PAY, LABEL/);
    expect(server.calls.filter((call) => call.method === 'POST').every((call) => call.body === undefined)).toBe(true);
  });
});

describe('watch', () => {
  const event = (number: number, key: string, status: string, second: number) => ({
    instance_id: id,
    task_id: taskId(number),
    key,
    status,
    attempt: 1,
    at: at(second),
  });

  test('each change is a line, taken from the stream, and success is the exit code 0', async () => {
    let state: object = { ...instance, tasks: [task(1, 'A', []), task(2, 'B', [1])] };
    const tell = (status: string, second: number) => ({ instance_id: id, project: 'shop', name: 'ORDER', status, at: at(second) }); // biome-ignore format: one line
    let send: ReturnType<typeof beginEvents> | undefined;
    let isTold = false;
    const tellAll = () => {
      send?.('instance', tell('progress', 1), '1-0');
      send?.('task', event(1, 'A', 'progress', 1), '2-0');
      send?.('task', event(1, 'A', 'success', 2), '3-0');
      send?.('task', event(1, 'A', 'progress', 1.5), '3-1');
      send?.('custom', { instance_id: id, type: 'note', data: { n: 1 }, at: at(2) }, '4-0');
      setTimeout(() => {
        const tasks = [task(1, 'A', [], done(1, 2)), task(2, 'B', [1], done(2, 3))];
        state = { ...instance, status: 'success', started: at(1), finished: at(3), tasks };
        send?.('instance', tell('success', 3), '5-0');
      }, 1000);
    };
    const { server, run } = await serve({
      'POST /api/workflows': always(instance, 201),
      [`GET /api/workflows/${id}`]: () => {
        // The read that follows the beginning of the stream: from now on the command listens.
        if (send && !isTold) setImmediate(tellAll);
        isTold = send !== undefined;
        return { body: state };
      },
      'GET /api/events': ({ response }) => {
        send = beginEvents(response);
        return undefined;
      },
    });
    const outcome = await run(['run', 'shop.ORDER', '--watch']);
    expect(outcome.stderr).toBe('');
    expect(outcome.stdout).toBe(`02:08:00.000  ○ shop.ORDER  pending
02:08:01.000  ◐ shop.ORDER  running
02:08:01.000  ◐ A  running
02:08:02.000  ● A  success  1.0 s
02:08:02.000  note  {"n":1}
02:08:03.000  ● B  success  1.0 s
02:08:03.000  ● shop.ORDER  success
shop.ORDER (${id}) succeeded after 2.0 s.
`);
    expect(outcome.code).toBe(0);
    const stream = server.calls.find((call) => call.path === '/api/events');
    expect(stream?.query.get('instance')).toBe(id);
    expect(stream?.headers['last-event-id']).toBeUndefined();
  });

  test('where there is no stream the instance is read until it ends, and an error is the exit code 1', async () => {
    let reads = 0;
    const running = { ...failed, status: 'progress', finished: null, tasks: failed.tasks.map((each) => ({ ...each, ...(each.key === 'PAY' ? { status: 'progress', finished: null, error: null } : {}) })) }; // biome-ignore format: one line
    const { run } = await serve({
      [`GET /api/workflows/${id}`]: () => ({ body: ++reads < 3 ? running : failed }),
    });
    const outcome = await run(['watch', id, '--json']);
    expect(outcome.code).toBe(1);
    const lines = outcome.stdout.trim().split('\n').map((each) => JSON.parse(each)); // biome-ignore format: one line
    expect(lines.at(-1)).toMatchObject({ event: 'instance', instance_id: id, status: 'error' });
    expect(lines.filter((each) => each.task?.key === 'PAY').map((each) => each.task.status)).toEqual([
      'progress',
      'error',
    ]);
    expect(outcome.stderr).toBe(
      `faultline: shop.ORDER (${id}) ended with an error after 3.5 s: PAY failed with "connection refused".\n`,
    );
  });

  test('a stream that breaks is taken up where it was', async () => {
    const state = { ...instance, tasks: [task(1, 'A', [])] };
    let streams = 0;
    let isOver = false;
    const { server, run } = await serve({
      [`GET /api/workflows/${id}`]: () => ({ body: isOver ? { ...state, status: 'canceled' } : state }),
      'GET /api/events': ({ response }) => {
        const send = beginEvents(response);
        send('task', event(1, 'A', 'progress', 1), '41-2');
        if (++streams === 2) isOver = true;
        response.end();
        return undefined;
      },
    });
    const outcome = await run(['watch', id]);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toBe(`faultline: shop.ORDER (${id}) was canceled.\n`);
    const streamCalls = server.calls.filter((call) => call.path === '/api/events');
    expect(streamCalls.map((call) => call.headers['last-event-id'])).toEqual([undefined, '41-2']);
  });

  test('a task is followed by its log until it ends', async () => {
    let isOver = false;
    const state = () => ({ ...instance, tasks: [task(1, 'A', [], isOver ? done(1, 2) : { status: 'progress' })] });
    const log = (number: number) => ({ id: number, attempt: 1, at: at(number), line: `line ${number}` });
    const { run } = await serve({
      [`GET /api/workflows/${id}`]: () => ({ body: state() }),
      [`GET /api/workflows/${id}/tasks/${taskId(1)}/logs`]: ({ query, response }) => {
        if (!query.has('follow')) {
          const lines = [1, 2, 3, 4]
            .filter((each) => each > Number(query.get('after')) && (each < 3 || isOver))
            .map(log);
          return { body: { lines, next: lines.at(-1)?.id ?? Number(query.get('after')) } };
        }
        const send = beginEvents(response);
        send('line', log(2));
        send('line', log(3));
        isOver = true;
        return undefined;
      },
    });
    const outcome = await run(['logs', id, 'A', '--follow']);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout.match(/line \d/g)).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
  });
});
