import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { adminToken, runCommand, startService } from './harness/command.ts';
import { newTestDirectory } from './harness/database.ts';

test('a server makes a backup, and a new directory restores it to the same rows', async () => {
  const directory = await newTestDirectory();
  const dataDir = join(directory, 'data');
  const file = join(directory, 'saved.backup');
  const server = await startService({ FAULTLINE_DATA_DIR: dataDir });
  const env = { FAULTLINE_DATA_DIR: dataDir, FAULTLINE_URL: server.url, FAULTLINE_TOKEN: adminToken };
  await runCommand(['user', 'create', 'ann'], { env });

  const locked = await runCommand(['backup', file], { env });
  expect(locked).toMatchObject({ code: 2, stdout: '' });
  expect(locked.stderr).toMatch(/in use by another .*faultline backup --server FILE\.\n$/);
  expect(existsSync(file)).toBe(false);

  const saved = await runCommand(['backup', '--server', file], { env });
  expect(saved).toMatchObject({ code: 0, stderr: '' });
  expect(saved.stdout).toMatch(/^The backup is complete: .* in .*saved\.backup\.\n$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory).toSorted()).toEqual(['data', 'saved.backup']);
  const audit = await fetch(`${server.url}/v1/audit?action=backup.create`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  expect(await audit.json()).toMatchObject({ entries: [{ user: 'admin', details: { bytes: statSync(file).size } }] });
  await server.stop();

  const restoredEnv = { FAULTLINE_DATA_DIR: join(directory, 'restored') };
  const restored = await runCommand(['restore', file, '--json'], { env: restoredEnv });
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(restored.stdout).rows).toBeGreaterThan(3);
  const again = await runCommand(['restore', '-'], { env: restoredEnv, input: readFileSync(file) });
  expect(again).toMatchObject({ code: 2, stdout: '' });
  expect(again.stderr).toMatch(/not empty/);

  const copy = await runCommand(['backup', '-'], { env: restoredEnv });
  expect(copy.code).toBe(0);
  expect(copy.stderr).toMatch(/^The backup is complete/);
  expect(linesOf(copy.bytes)).toEqual(linesOf(readFileSync(file)));
});

test('what cannot be read, written or asked is told before anything happens', async () => {
  const directory = await newTestDirectory();
  const env = { FAULTLINE_DATA_DIR: join(directory, 'data') };
  const outcomes = await Promise.all([
    runCommand(['restore', join(directory, 'none')], { env }),
    runCommand(['restore', directory], { env }),
    runCommand(['backup', join(directory, 'x')], { env }),
    runCommand(['backup', '--server', join(directory, 'no', 'x'), '--token', 't'], { env }),
    runCommand(['backup', '--server', join(directory, 'x'), '--token', 't', '--url', 'http://127.0.0.1:1'], { env }),
    runCommand(['backup', '--token', 't', join(directory, 'x')], { env }),
  ]);
  expect(outcomes.map(({ code, stdout }) => ({ code, stdout }))).toEqual(outcomes.map(() => ({ code: 2, stdout: '' })));
  expect(outcomes.map(({ stderr }) => stderr)).toEqual([
    expect.stringMatching(/none cannot be read \(ENOENT\)/),
    expect.stringMatching(/cannot be read \(EISDIR\)/),
    expect.stringMatching(/There is no database in /),
    expect.stringMatching(/cannot be written \(ENOENT\)/),
    expect.stringMatching(/cannot be reached \(ECONNREFUSED\)/),
    expect.stringMatching(/add --server/),
  ]);
  expect(readdirSync(directory)).toEqual([]);
});

test('a damaged backup is refused', async () => {
  const directory = await newTestDirectory();
  const file = join(directory, 'damaged');
  writeFileSync(file, createHash('sha256').update('noise').digest());
  const outcome = await runCommand(['restore', file], { env: { FAULTLINE_DATA_DIR: join(directory, 'data') } });
  expect(outcome).toMatchObject({ code: 2, stdout: '' });
  expect(outcome.stderr).toMatch(/^faultline: .*backup.*\n$/i);
});

/** The order of rows is not part of a backup. */
const linesOf = (bytes: Buffer): string[] => gunzipSync(bytes).toString().split('\n').toSorted();
