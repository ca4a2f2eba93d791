import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../../test/harness/command.ts';
import { newTestDirectory } from '../../test/harness/database.ts';
import * as tasks from './init-home/tasks/hello.ts';

const files = ['README.md', 'package.json', 'schemas/greeting.json', 'tasks/hello.ts', 'tasks/remote.yml', 'workflows.yml']; // biome-ignore format: one line

test('a home is written into a new folder, and the next steps are said', async () => {
  const home = join(await newTestDirectory(), 'new', 'home');
  const outcome = await runCommand(['init', home]);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  expect(outcome.stdout).toContain(`FAULTLINE_HOME=${home} faultline serve\n`);
  for (const file of files) {
    const original = readFileSync(new URL(`./init-home/${file}`, import.meta.url), 'utf8');
    expect(readFileSync(join(home, file), 'utf8')).toBe(original);
  }
});

test('a folder that is not empty is left alone; with --force, what is there stays and the rest comes', async () => {
  const home = await newTestDirectory();
  writeFileSync(join(home, 'workflows.yml'), '# mine\n');
  const refused = await runCommand(['init', home]);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(/is not empty; name another folder, or add --force/);
  const forced = JSON.parse((await runCommand(['init', home, '--force', '--json'])).stdout);
  expect(forced.kept).toEqual(['workflows.yml']);
  expect(forced.written).toEqual(files.filter((file) => file !== 'workflows.yml'));
  expect(readFileSync(join(home, 'workflows.yml'), 'utf8')).toBe('# mine\n');
});

test('what cannot be written is said in one sentence', async () => {
  const file = join(await newTestDirectory(), 'file');
  writeFileSync(file, '');
  const outcome = await runCommand(['init', file]);
  expect(outcome).toMatchObject({ code: 2, stdout: '' });
  expect(outcome.stderr).toMatch(/cannot be written \(EEXIST\)/);
});

type Item = {
  type?: string;
  task?: string;
  tasks?: Array<string | Record<string, Item>>;
  hooks?: Record<string, string>;
};

const namesIn = ({ task, tasks = [], hooks = {} }: Item): string[] => [
  ...(task === undefined ? [] : [task]),
  ...Object.values(hooks),
  ...tasks.flatMap((item) => (typeof item === 'string' ? [item] : Object.values(item).flatMap(namesIn))),
];

test('every task that the definitions of the home name is one of its functions, and gives what the next one takes', async () => {
  const text = readFileSync(new URL('./init-home/workflows.yml', import.meta.url), 'utf8');
  const definitions: Record<string, Item> = parse(text);
  expect(Object.keys(definitions)).toEqual(['hello.WORLD', 'hello.PARCELS', 'hello.TICK']);
  const names = new Set(Object.values(definitions).flatMap(namesIn));
  expect([...names].toSorted()).toEqual(Object.keys(tasks).toSorted());
  const context = {
    payload: { name: 'Ann' },
    results: {},
    instance: { id: 'i', fullname: 'hello.WORLD' },
    task: { id: 't', key: 'K', attempt: 1 },
    log: () => undefined,
    signal: new AbortController().signal,
    progress: () => undefined,
  };
  const greeting = await tasks.GREET({ ...context, previous: null });
  const both: [string, number] = [
    tasks.SHOUT({ ...context, previous: greeting }),
    tasks.COUNT({ ...context, previous: greeting }),
  ];
  expect(tasks.SUM_UP({ ...context, previous: both })).toBe('HELLO, ANN! (10 characters)');
});
