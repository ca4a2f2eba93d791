import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCommand } from './harness/command.ts';
import { newTestDirectory } from './harness/database.ts';

const examples = fileURLToPath(new URL('../examples/home', import.meta.url));

test('the example home has no faults, and is the home unless told otherwise', async () => {
  const outcome = await runCommand(['check']);
  expect(outcome).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^\d+ workflows, \d+ tasks, no faults\n$/),
  });
  const asJson = await runCommand(['check', '--json'], { env: { FAULTLINE_HOME: examples } });
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    home: examples,
    workflows: expect.arrayContaining(['shop.ORDER']),
    faults: [],
  });
});

test('each fault is printed with its file, line and column, and the exit code is 1', async () => {
  const home = await newTestDirectory();
  await mkdir(join(home, 'workflows'), { recursive: true });
  await writeFile(join(home, 'workflows/a.yml'), 'p.W:\n  tasks:\n    - NOPE\n');
  const outcome = await runCommand(['check', home]);
  expect(outcome).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^workflows\/a\.yml:3:7 There is no task "NOPE"/),
  });
  expect(outcome.stderr).toMatch(/^faultline: 1 fault in /);
  const asJson = await runCommand(['check', '--json', home]);
  expect(asJson.code).toBe(1);
  expect(JSON.parse(asJson.stdout).faults).toMatchObject([
    { file: 'workflows/a.yml', line: 3, column: 7, workflow: 'p.W' },
  ]);
});

test('a folder that is not there is refused before anything else', async () => {
  expect(await runCommand(['check', '/nowhere/at/all'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'faultline: There is no folder /nowhere/at/all.\n',
  });
});
