import { describe, expect, test, vi } from 'vitest';
import { finished, startWorker, until, writeFiles } from './testing/worker-under-test.ts';

describe('running tasks', () => {
  test('a task is called with the context of the contract, and what it returns is its result', async () => {
    const { server } = await startWorker({
      'tasks/shop.ts': `export async function SHOW({ log, signal, progress, ...rest }: Record<string, unknown>) {
        return { ...rest, types: [typeof log, signal instanceof AbortSignal, typeof progress] };
      }`,
    });
    const given = { payload: { a: 1 }, previous: [1, 2], results: { A: 'x' }, with: { w: 1 }, item: 'i', index: 0 };
    const id = server.add('SHOW', { ...given, key: 'STEP', attempt: 2 });
    const [row] = await finished(server, id);
    expect(row.result).toEqual({
      ...given,
      instance: row.task.instance,
      task: { id, key: 'STEP', attempt: 2 },
      types: ['function', true, 'function'],
    });
  });

  test('nothing returned is null, and what is not JSON is a failure that says so', async () => {
    const { server } = await startWorker({
      'tasks/a.mjs': `export const NOTHING = () => {};
        export const BIG = () => 1n;
        export const LOOP = () => { const a = {}; a.a = a; return a; };
        export const CODE = () => () => 1;`,
    });
    const rows = await finished(server, ...['NOTHING', 'BIG', 'LOOP', 'CODE'].map((name) => server.add(name)));
    expect(rows[0].result).toBeNull();
    expect(rows.slice(1).map((row) => row.error?.message)).toEqual([
      expect.stringMatching(/not JSON: .*BigInt/),
      expect.stringMatching(/not JSON: .*circular/),
      'the task returned a function, which is not JSON',
    ]);
    expect(rows[1].retryable).toBe(false);
  });

  test('an error is reported with its message and a stack relative to the home', async () => {
    const { server, home } = await startWorker({
      'tasks/deep/b.ts': `export async function BAD() { throw new Error('no paper'); }
        export function NEVER() { throw Object.assign(new Error('wrong'), { retryable: false }); }
        export function TEXT() { throw 'plain'; }`,
    });
    const [bad, never, text] = await finished(server, server.add('BAD'), server.add('NEVER'), server.add('TEXT'));
    expect(bad.error?.message).toBe('no paper');
    expect(bad.error?.stack).toContain('tasks/deep/b.ts:1');
    expect(bad.error?.stack).not.toContain(home);
    expect([bad.retryable, never.retryable]).toEqual([true, false]);
    expect(text.error?.message).toBe('the task threw plain');
  });

  test('log and console write lines of their own task', async () => {
    const { server } = await startWorker({
      'tasks/a.ts': `export async function TALK({ payload, log }: any) {
        log('one', payload.n); log.warn('two'); log.error({ three: 3 });
        await new Promise((resolve) => setTimeout(resolve, 20));
        console.log('four %d', payload.n); console.error('five\\nsix');
      }`,
    });
    const rows = await finished(server, ...[1, 2].map((n) => server.add('TALK', { payload: { n } })));
    expect(rows.map((row) => row.lines)).toEqual(
      [1, 2].map((n) => [`one ${n}`, 'warn: two', 'error: { three: 3 }', `four ${n}`, 'five', 'six']),
    );
  });

  test('a file that cannot be imported fails its own tasks and no others', async () => {
    const { server, warnings } = await startWorker({
      'tasks/bad.ts': `import 'no-such-package'; export function LOST() {}`,
      'tasks/exits.js': `process.exit(3); export function GONE() {}`,
      'tasks/good.ts': `export function FINE() { return 1; }`,
    });
    const [lost, gone, fine] = await finished(server, server.add('LOST'), server.add('GONE'), server.add('FINE'));
    expect(lost.error?.message).toMatch(/^tasks\/bad.ts cannot be imported: .*no-such-package/);
    expect(gone.error?.message).toMatch(/^tasks\/exits.js cannot be imported: .*exit code 3/);
    expect(fine.result).toBe(1);
    expect(warnings.join('\n')).toContain('tasks/bad.ts');
  });

  test('a file that breaks keeps the names it had, also those that its text does not show', async () => {
    const { server, home } = await startWorker({
      'tasks/all.ts': `export * from '../lib.ts';`,
      'lib.ts': `export const HIDDEN = () => 1;`,
    });
    await finished(server, server.add('HIDDEN'));
    await writeFiles(home, { 'tasks/all.ts': `export * from '../gone.ts';` });
    await until(() => server.claims.length > 0);
    let message: string | undefined;
    await vi.waitUntil(
      async () => {
        message = (await finished(server, server.add('HIDDEN')))[0].error?.message;
        return message !== undefined;
      },
      { timeout: 20_000, interval: 200 },
    );
    expect(message).toMatch(/^tasks\/all.ts cannot be imported: /);
  });

  test('two files that export the same name are both told so', async () => {
    const { server } = await startWorker({
      'tasks/a.ts': 'export const SAME = () => 1;',
      'tasks/b.ts': 'export const SAME = () => 2;',
    });
    const [row] = await finished(server, server.add('SAME'));
    expect(row.error?.message).toBe('SAME is exported by both tasks/a.ts and tasks/b.ts; rename one.');
  });

  test('a home that does not exist still has the built-in tasks', async () => {
    const { server } = await startWorker({}, { home: '/no/such/folder' });
    await until(() => server.claims.length > 0);
    expect(server.claims[0]).toMatchObject({ tasks: ['http'] });
  });

  test('a changed file is used from the next task on, and running tasks end on the old code', async () => {
    const { server, home } = await startWorker({
      'tasks/a.ts': `export const OLD = () => new Promise((resolve) => setTimeout(() => resolve('old'), 1500));`,
    });
    const old = server.add('OLD');
    await until(() => server.get(old).status === 'running');
    await writeFiles(home, { 'tasks/a.ts': `export const OLD = () => 'changed'; export const NEW = () => 'new';` });
    const [fresh] = await finished(server, server.add('NEW'));
    const [changed, first] = await finished(server, server.add('OLD'), old);
    expect([fresh.result, changed.result, first.result]).toEqual(['new', 'changed', 'old']);
  });
});
