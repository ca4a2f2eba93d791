import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDefinitions, type Definitions } from './definitions.service.ts';

let home: string;
let definitions: Definitions | undefined;
const log = { info: () => {}, warn: () => {} };

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'faultline-home-'));
});
afterEach(async () => {
  definitions?.close();
  await rm(home, { recursive: true, force: true });
});

let written = 0;
/** As editors do: a new file in place of the old one, so that the change is seen whatever the clock's resolution. */
async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  const temporary = join(home, `.new-${written++}`);
  await writeFile(temporary, text);
  await rename(temporary, join(home, path));
}

async function open(options: { pollMs?: number; debounceMs?: number } = {}): Promise<Definitions> {
  // Long enough that only what a test asks for happens, unless it asks for more.
  definitions = await createDefinitions({ home, log, pollMs: 3_600_000, debounceMs: 3_600_000, ...options });
  return definitions;
}

const names = (all: Definitions): string[] => all.list().map(({ fullname }) => fullname);
const changed = (all: Definitions): Promise<void> =>
  new Promise((resolve) => {
    const stop = all.onChange(() => {
      stop();
      resolve();
    });
  });

test('a missing home is an empty one', async () => {
  await rm(home, { recursive: true });
  const all = await open();
  expect([all.list(), all.faults(), [...all.queues()]]).toEqual([[], [], []]);
});

test('definitions come from workflows.yml and from workflows/, sorted', async () => {
  await write('tasks/t.ts', 'export function T() {}');
  await write('workflows.yml', 'z.LAST: { tasks: [T] }');
  await write('workflows/deep/er.yaml', 'a.FIRST: { tasks: [T] }');
  await write('workflows/.hidden.yml', 'a.HIDDEN: { tasks: [T] }');
  const all = await open();
  expect(names(all)).toEqual(['a.FIRST', 'z.LAST']);
  expect(all.find('a.FIRST')).toMatchObject({
    project: 'a',
    name: 'FIRST',
    source: { tasks: ['T'] },
    file: 'workflows/deep/er.yaml',
  });
  expect(all.find('a.NONE')).toBeUndefined();
});

test('what goes bad keeps its last good state, what is gone is gone, what is mended is new', async () => {
  await write('tasks/t.ts', 'export function T() {}\nexport function U() {}');
  await write('workflows.yml', 'p.A: { tasks: [T] }\np.B: { tasks: [T] }\np.C: { tasks: [T] }');
  await write('workflows/more.yml', 'p.D: { tasks: [T] }');
  const all = await open();
  const former = all.find('p.A')?.plan.version;
  await write('workflows.yml', 'p.A: { tasks: [NOPE] }\np.C: { tasks: [U] }');
  await write('workflows/more.yml', 'p.D: [');
  await all.refresh();
  expect(names(all)).toEqual(['p.A', 'p.C', 'p.D']);
  expect(all.find('p.A')?.plan.version).toBe(former);
  expect(all.find('p.C')?.plan.items[0].run).toBe('U');
  expect(all.faults().map(({ file }) => file)).toEqual(['workflows.yml', 'workflows/more.yml']);
  await write('workflows.yml', 'p.A: { tasks: [U] }');
  await rm(join(home, 'workflows/more.yml'));
  await all.refresh();
  expect(names(all)).toEqual(['p.A']);
  expect(all.find('p.A')?.plan.version).not.toBe(former);
  expect(all.faults()).toEqual([]);
});

test('a definition that was bad from the start is not there, and comes when it is mended', async () => {
  await write('workflows.yml', 'p.A: { tasks: [T] }');
  const all = await open();
  expect(names(all)).toEqual([]);
  await write('tasks/t.ts', 'export function T() {}');
  await all.refresh();
  expect(names(all)).toEqual(['p.A']);
});

test('a change on disk is noticed by watching', async () => {
  await write('tasks/t.ts', 'export function T() {}');
  await write('workflows/a.yml', 'p.A: { tasks: [T] }');
  const all = await open({ debounceMs: 5 });
  const change = changed(all);
  await write('workflows/b.yml', 'p.B: { tasks: [T] }');
  await change;
  expect(names(all)).toEqual(['p.A', 'p.B']);
});

test('a change on disk is noticed without watches too, also when the home comes later', async () => {
  await rm(home, { recursive: true });
  const all = await open({ pollMs: 5 });
  const change = changed(all);
  await mkdir(home);
  await write('workflows.yml', 'p.A: { tasks: [sleep: { with: { seconds: 1 } }] }');
  await change;
  expect(names(all)).toEqual(['p.A']);
});

test('payloads are checked against the schema of their definition', async () => {
  await write('schemas/order.json', '{"type":"object","required":["id","total"]}');
  await write(
    'workflows.yml',
    'p.A: { schema: order, tasks: [X: { remote: true }] }\np.B: { tasks: [X: { remote: true }] }',
  );
  const all = await open();
  expect(all.validatePayload('p.A', {})).toHaveLength(2);
  expect(all.validatePayload('p.A', { id: 1, total: 2 })).toEqual([]);
  expect(all.validatePayload('p.B', { anything: true })).toEqual([]);
  expect(all.validatePayload('p.NONE', {})).toEqual([]);
});

test('nothing changed, nothing is told', async () => {
  await write('workflows.yml', 'p.B: { tasks: [X: { remote: true }] }');
  const all = await open();
  let told = 0;
  all.onChange(() => {
    told += 1;
  });
  await all.refresh();
  expect(told).toBe(0);
});
