import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { EmbeddedHost } from './embedded.ts';
import { findTemplate } from './template.ts';

let directory: string;
let host: EmbeddedHost;
let pool: Pool;
const workers: Worker[] = [];
process.on('worker', (worker: Worker) => workers.push(worker));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'faultline-embedded-'));
  host = new EmbeddedHost({ directory: join(directory, 'database'), template: findTemplate() });
  await host.start();
  pool = new Pool({ stream: host.createStream, ssl: false, max: 5 });
  pool.on('error', () => {});
  await pool.query('create table items (id int primary key)');
}, 60_000);
afterAll(async () => {
  await pool.end();
  await host.close();
  await rm(directory, { recursive: true, force: true });
});

test('bytes that trickle in one by one are understood', async () => {
  const stream = host.createStream();
  const write = stream.write.bind(stream);
  vi.spyOn(stream, 'write').mockImplementation((chunk: Buffer, ...rest: unknown[]) => {
    for (let at = 0; at < chunk.length; at++) write(chunk.subarray(at, at + 1));
    const done = rest.at(-1);
    return write(Buffer.alloc(0), () => typeof done === 'function' && done());
  });
  const client = new Client({ stream: () => stream, ssl: false });
  await client.connect();
  expect((await client.query('select $1::text as value', ['trickle'])).rows).toEqual([{ value: 'trickle' }]);
  await client.end();
});

test('a client that goes takes its prepared statements with it', async () => {
  const client = new Client({ stream: host.createStream, ssl: false });
  await client.connect();
  await client.query({ name: 'mine', text: 'select 1' });
  const count = `select count(*)::int as n from pg_prepared_statements where name like '%mine'`;
  expect((await pool.query(count)).rows).toEqual([{ n: 1 }]);
  await client.end();
  await vi.waitFor(async () => expect((await pool.query(count)).rows).toEqual([{ n: 0 }]));
});

test('a busy client does not starve the others', async () => {
  const finished: string[] = [];
  const run = async (name: string, times: number) => {
    const client = await pool.connect();
    for (let round = 0; round < times; round++) await client.query('select 1');
    finished.push(name);
    client.release();
  };
  await Promise.all([run('long', 400), run('short', 20), run('other', 20)]);
  expect(finished.at(-1)).toBe('long');
});

test('when the worker dies every query fails, and the next connection finds everything committed again', async () => {
  await pool.query('insert into items values (1)');
  const client = await pool.connect();
  client.on('error', () => {});
  await client.query('begin');
  await client.query('insert into items values (2)');
  const pending = [client.query('select pg_sleep(30)'), pool.query('select 1'), pool.query('select 2')];
  const outcomes = Promise.allSettled(pending);
  await wait(50);
  await workers.at(-1)?.terminate();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  client.release(true);
  expect((await pool.query('select id from items')).rows).toEqual([{ id: 1 }]);
});
