import { describe, expect, test } from 'vitest';
import { readWorkerConfig } from '../../worker-config.ts';
import { builtInArguments } from '../built-ins.ts';
import { describeExit } from './host-process.ts';
import { isExpected } from './http-task.ts';
import { namesIn } from './load-tasks.ts';
import { isTaskFile } from './task-files.ts';

describe('names of tasks in a text', () => {
  test('functions, constants and lists are found; types, defaults and comments are not', () => {
    const text = `
      // export function NO() {}
      /* export const NEITHER = 1; */
      export async function A() {} export const B = 1;
      export function* C() {}
      export { d as D, E, type T, f as default };
      export default function G() {}
      export type H = string;`;
    expect(namesIn(text)).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  test('declarations and tests are no task files', () => {
    const names = ['a.ts', 'b.mts', 'c.js', 'd.mjs', 'e.d.ts', 'f.test.ts', 'g.json', 'h.cjs', 'i.tsx'];
    expect(names.filter(isTaskFile)).toEqual(['a.ts', 'b.mts', 'c.js', 'd.mjs']);
  });
});

test('the end of a process is told in words', () => {
  expect(describeExit(1, null, '')).toBe('ended its process: exit code 1');
  expect(describeExit(null, 'SIGSEGV', '')).toBe('crashed its process (SIGSEGV)');
  expect(describeExit(null, 'SIGABRT', 'FATAL ERROR: JavaScript heap out of memory')).toBe('ran out of memory');
});

test('expected statuses are numbers and ranges, both ends included', () => {
  expect([200, 299, 300].map((status) => isExpected(status, '200-299'))).toEqual([true, true, false]);
  expect([204, 404, 410].map((status) => isExpected(status, [204, '404-409']))).toEqual([true, true, false]);
});

describe('arguments of built-in tasks', () => {
  const faultsOf = (name: keyof typeof builtInArguments, value: unknown): string[] =>
    builtInArguments[name].safeParse(value).error?.issues.map((issue) => issue.message) ?? [];

  test('good ones pass', () => {
    expect(faultsOf('http', { url: 'https://a.example', json: { a: 1 }, expect: [200, '300-399'] })).toEqual([]);
    expect(faultsOf('shell', { argv: ['ls'] })).toEqual([]);
    expect(faultsOf('sleep', { until: '2026-11-15T02:08:00Z' })).toEqual([]);
    expect(faultsOf('graph.import', { team: 'shop', file: 'graph.ndjson' })).toEqual([]);
    expect(faultsOf('notify', { title: 'Done', message: '' })).toEqual([]);
    expect(faultsOf('emit', { type: 'order.paid' })).toEqual([]);
  });

  test('what contradicts itself is named', () => {
    expect(faultsOf('http', { url: 'x', json: 1, body: '' })).toEqual(['give json or body, not both']);
    expect(faultsOf('shell', {})).toEqual(['give either command or argv']);
    expect(faultsOf('sleep', { seconds: 1, until: '2026-11-15T02:08:00Z' })).toEqual(['give either seconds or until']);
    expect(faultsOf('graph.import', { team: 'shop' })).toEqual(['give exactly one of messages, url and file']);
    expect(faultsOf('emit', { type: '' })).toHaveLength(1);
  });
});

describe('settings of a worker', () => {
  const env = { FAULTLINE_TOKEN: 'secret', XDG_CONFIG_HOME: '/no/such/folder' };

  test('flags go before the environment, and both before the defaults', () => {
    const config = readWorkerConfig(
      { ...env, FAULTLINE_WORKER_CONCURRENCY: '7', FAULTLINE_WORKER_QUEUES: 'a', FAULTLINE_ALLOW_SHELL: 'yes' },
      { concurrency: '9', queues: ' b, c ' },
    );
    expect(config).toMatchObject({ concurrency: 9, queues: ['b', 'c'], allowShell: true, memoryMb: 1024 });
    expect(readWorkerConfig(env, {})).toMatchObject({ concurrency: 100, allowShell: false, outboundAllow: [] });
  });

  test('every fault is named', () => {
    const bad = { ...env, FAULTLINE_OUTBOUND_ALLOW: '10.0.0.0/99', FAULTLINE_ALLOW_SHELL: 'maybe' };
    expect(() => readWorkerConfig(bad, {})).toThrow(/FAULTLINE_ALLOW_SHELL must be .*FAULTLINE_OUTBOUND_ALLOW must be/);
  });
});
