import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminToken, type Environment, type RunningServer, runCommand, startService } from './harness/command.ts';
import { newTestDirectory } from './harness/database.ts';

const lineCount = 5000;
const rows = Array.from({ length: lineCount }, (_, index) => ({
  source_label: 'Website',
  source_name: `site ${index % 700}, "the ${index % 3}rd"`,
  target_label: 'Server',
  target_name: `rack/${index % 40}/server-${index % 997}`,
  ...(index % 2 === 0 ? { rel_from: 1_700_000_000 + index } : {}),
}));
const ndjson = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const quote = (text: string | number) => `"${String(text).replaceAll('"', '""')}"`;
const csv = [
  'source_label,source_name,target_label,target_name,rel_from,owner',
  ...rows.map((row) =>
    [row.source_label, quote(row.source_name), row.target_label, row.target_name, row.rel_from ?? '', 'x'].join(','),
  ),
].join('\r\n');

let server: RunningServer;
let directory: string;
let env: Environment;
let expected: string[];

const fileOf = (name: string, content: string | Buffer): string => {
  const file = join(directory, name);
  writeFileSync(file, content);
  return file;
};
const run = (args: string[], input?: string | Buffer) => runCommand(args, { env, input });
const newTeam = async (name: string) => void (await run(['team', 'create', name]));
const exported = async (team: string): Promise<string[]> =>
  (await run(['export', '--team', team])).stdout.split('\n').toSorted();

beforeAll(async () => {
  directory = await newTestDirectory();
  server = await startService({ FAULTLINE_DATA_DIR: join(directory, 'data') });
  env = { FAULTLINE_URL: server.url, FAULTLINE_TOKEN: adminToken };
  await newTeam('reference');
  const outcome = await run(['import', '--team', 'reference', fileOf('graph.ndjson', ndjson)]);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  expect(outcome.stdout).toMatch(/^5,000 lines in \S+ s \(\S+ lines\/s\): 5,000 accepted, \d+ of them unchanged; 0 rejected; version \d+\.\n$/); // biome-ignore format: one line
  expected = await exported('reference');
});
afterAll(() => server?.stop());

describe('import', () => {
  test.each([
    ['CSV', 'graph.csv', csv, ['--lines-per-request', '700']],
    ['CSV packed with gzip, whatever its name says', 'packed.csv', gzipSync(csv), []],
    ['NDJSON packed with gzip', 'graph.ndjson.gz', gzipSync(ndjson), []],
  ])('%s gives the same graph', async (_what, name, content, more) => {
    const team = `team of ${name}`;
    await newTeam(team);
    const outcome = await run(['import', '--team', team, ...more, '--json', fileOf(name, content)]);
    expect(outcome.code).toBe(0);
    expect(outcome.stderr).toMatch(name.includes('csv') ? /^\S+: ignored the column "owner"\.\n$/ : /^$/);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ lines: lineCount, accepted: lineCount, rejected: 0 });
    expect(await exported(team)).toEqual(expected);
  });

  test('standard input, after other files, with the first lines skipped, and again without harm', async () => {
    await newTeam('stdin');
    const lines = ndjson.split('\n');
    const [first, second] = [lines.slice(0, 2000).join('\n'), lines.slice(2000).join('\n')];
    await run(['import', '--team', 'stdin'], `${lines[0]}\n`);
    const args = ['import', '--team', 'stdin', '--skip-lines', '1', '--json', fileOf('first.ndjson', first), '-'];
    expect(JSON.parse((await run(args, gzipSync(second))).stdout)).toMatchObject({ lines: lineCount - 1 });
    expect(await exported('stdin')).toEqual(expected);
    const again = await run(['import', '--team', 'stdin', '--json', join(directory, 'graph.ndjson')]);
    expect(JSON.parse(again.stdout)).toMatchObject({ accepted: lineCount, unchanged: lineCount });
  });

  test('every bad line is named with its place, and no good one is lost', async () => {
    await newTeam('bad lines');
    const file = fileOf('bad.ndjson', ndjson.split('\n').flatMap((line, index) => (index % 10 === 4 ? [line, '{"no":1}'] : [line])).join('\n')); // biome-ignore format: one line
    const errorsFile = join(directory, 'errors.ndjson');
    const outcome = await run(['import', '--team', 'bad lines', '--errors', errorsFile, file]);
    expect(outcome.code).toBe(1);
    expect(outcome.stdout).toMatch(/5,000 accepted.* 500 rejected/);
    expect(outcome.stderr).toMatch(/bad\.ndjson:6: source_label is missing\n/);
    expect(outcome.stderr).toMatch(/faultline: 500 of 5,500 lines were rejected; they are in \S+errors\.ndjson\.\n$/);
    const errors = readFileSync(errorsFile, 'utf8').trim().split('\n').map((line) => JSON.parse(line)); // biome-ignore format: one line
    expect(errors.map(({ line }) => line)).toEqual(Array.from({ length: 500 }, (_, index) => index * 11 + 6));
    expect(errors[0]).toEqual({ file, line: 6, message: 'source_label is missing', text: '{"no":1}' });
    expect(await exported('bad lines')).toEqual(expected);
    expect(await run(['import', '--team', 'bad lines', '--allow-errors', file])).toMatchObject({ code: 0 });
  });

  test('a bad line of CSV is named where it begins', async () => {
    await newTeam('bad csv');
    const errorsFile = join(directory, 'csv-errors.ndjson');
    const text = 'kind,source_name,rel_from\nApi,"two\nlines",\nApi,good,\nApi,late,soon\nApi,"open,\n';
    const args = [
      'import',
      '--team',
      'bad csv',
      '--map',
      'kind=source_label',
      '--format',
      'csv',
      '--errors',
      errorsFile,
    ];
    const outcome = await run(args, text);
    expect(outcome).toMatchObject({ code: 1 });
    const errors = readFileSync(errorsFile, 'utf8').trim().split('\n').map((line) => JSON.parse(line)); // biome-ignore format: one line
    expect(errors).toEqual([
      { file: 'standard input', line: 2, message: expect.stringContaining('control characters'), text: 'Api,"two\nlines",' },
      { file: 'standard input', line: 5, message: 'rel_from needs a target', text: 'Api,late,soon' },
      { file: 'standard input', line: 6, message: 'a quote is opened and never closed', text: 'Api,"open,' },
    ]); // biome-ignore format: a table
  });

  test('--remove takes back, --dry-run sends nothing', async () => {
    await newTeam('removed');
    const file = join(directory, 'graph.ndjson');
    const dry = await run(['import', '--team', 'removed', '--dry-run', file]);
    expect(dry.stdout).toMatch(/5,000 good, 0 bad; nothing was sent/);
    expect(await exported('removed')).toEqual(['']);
    await run(['import', '--team', 'removed', file]);
    await run(['import', '--team', 'removed', '--remove', file]);
    expect((await exported('removed')).filter((line) => line.includes('target'))).toEqual([]);
  });

  test.each([
    ['a file that is not there', ['none.ndjson'], /none\.ndjson cannot be read \(ENOENT\)/],
    ['an unknown field', ['--map', 'a=b'], /"b" is no field/],
    ['a delimiter of two characters', ['--delimiter', '::'], /one character/],
  ])('%s ends before anything is sent', async (_what, args, message) => {
    const outcome = await run(['import', '--team', 'reference', ...args]);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toMatch(message);
  });

  test('a JSON array and a header without the needed columns are explained', async () => {
    const array = await run(['import', '--team', 'reference'], '[\n{}]');
    expect(array).toMatchObject({ code: 2, stderr: expect.stringContaining("jq -c '.[]'") });
    const header = await run(['import', '--team', 'reference', '--format', 'csv'], 'a,b\n1,2\n');
    expect(header).toMatchObject({ code: 2, stderr: expect.stringContaining('--map COLUMN=source_label') });
  });

  test('a server that dies in the middle: the place is told, and the same command again gives the same graph', async () => {
    const data = { FAULTLINE_DATA_DIR: join(directory, 'mortal') };
    const mortal = await startService(data);
    const there = (url: string) => ({ FAULTLINE_URL: url, FAULTLINE_TOKEN: adminToken });
    await runCommand(['team', 'create', 'shop'], { env: there(mortal.url) });
    const file = join(directory, 'graph.ndjson');
    const args = ['import', '--team', 'shop', '--lines-per-request', '20', '--retries', '1', file];
    const headers = { authorization: `Bearer ${adminToken}` };
    const team = JSON.parse((await runCommand(['team', 'list', '--json'], { env: there(mortal.url) })).stdout).teams[0];
    const hasBegun = async () =>
      (await (await fetch(`${mortal.url}/v1/teams/${team.id}/labels`, { headers })).text()) !== '[]';
    const importing = runCommand(args, { env: there(mortal.url) });
    while (!(await hasBegun())) await sleep(5);
    await mortal.stop('SIGKILL');
    const broken = await importing;
    expect(broken.code).toBe(1);
    expect(broken.stderr).toMatch(/trying again in 0\.5 s \(1 of 1\)/);
    const [, taken] = /faultline import --team shop --skip-lines (\d+) \S+graph\.ndjson\n$/.exec(broken.stderr) ?? [];
    expect(Number(taken) % 20).toBe(0);

    const reborn = await startService(data);
    await runCommand(['import', '--team', 'shop', file], { env: there(reborn.url) });
    const graph = await runCommand(['export', '--team', 'shop'], { env: there(reborn.url) });
    expect(graph.stdout.split('\n').toSorted()).toEqual(expected);
    await reborn.stop();
  });
});

describe('export', () => {
  test('goes to a file, and back in gives the same graph', async () => {
    const file = join(directory, 'export.ndjson');
    const outcome = await run(['export', '--team', 'reference', '-o', file]);
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The export is complete: \S+ MB in /) });
    await newTeam('copy');
    await run(['import', '--team', 'copy', file]);
    expect(await exported('copy')).toEqual(expected);
  });

  test('what lies around one node, as a picture', async () => {
    const node = ['--label', 'Server', '--name', 'rack/0/server-0', '--direction', 'impacted'];
    const outcome = await run(['export', '--team', 'reference', '--format', 'mermaid', ...node]);
    expect(outcome.stdout).toMatch(/^flowchart LR\n {2}n\d+\["/);
    expect(await run(['export', '--team', 'reference', '--depth', '2'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('impact', () => {
  beforeAll(async () => {
    await newTeam('shop');
    const rows = [
      'source_label,source_name,target_label,target_name,rel_from,rel_to',
      'Website,shop,Api,orders/v2,,',
      'Website,shop,Api,users,,',
      'Website,..,Api,orders/v2,,',
      'Robot,crawler,Website,..,,',
      'Api,orders/v2,Database,main,1700000000,',
      'Api,users,Database,main,,',
      'Api,old,Database,main,100,',
      'Api,old,Database,main,,200',
      'Database,main,Api,users,,',
    ];
    await run(['import', '--team', 'shop', '--format', 'csv'], rows.join('\n'));
  });

  test('a tree of what breaks', async () => {
    expect((await run(['impact', 'shop', 'Database', 'main', '--inactive'])).stdout).toMatchInlineSnapshot(`
      "6 impacted nodes: Api 3, Robot 1, Website 2

      Database main
      ├── Api orders/v2
      │   ├── Website ..
      │   │   └── Robot crawler
      │   └── Website shop
      ├── Api users
      │   ├── Database main ↪
      │   └── Website shop ↪
      └── Api old (inactive)

      ↪ stands at another place of the tree too.
      "
    `);
  });

  test('at a time in the past, for one label', async () => {
    const past = await run(['impact', 'shop', 'Database', 'main', '--ts', '1970-01-01T00:02:30Z', '--depth', '1']);
    expect(past.stdout).toContain('├── Api old\n└── Api users\n');
    const robots = await run(['impact', 'shop', 'Database', 'main', '--label', 'Robot']);
    expect(robots.stdout).toBe(
      '1 impacted Robot node\n\nDatabase main\n└── Api orders/v2\n    └── Website ..\n        └── Robot crawler\n',
    );
  });

  test('as a list for programs, also of names with slashes and dots', async () => {
    const names = async (label: string, name: string) =>
      JSON.parse((await run(['impact', 'shop', label, name, '--json'])).stdout).map(
        (node: { name: string }) => node.name,
      );
    expect(await names('Api', 'orders/v2')).toEqual(['..', 'crawler', 'shop']);
    expect(await names('Website', '..')).toEqual(['crawler']);
  });

  test('a node that is not there', async () => {
    const outcome = await run(['impact', 'shop', 'Api', 'none']);
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^faultline: .*no such node/) });
  });
});
