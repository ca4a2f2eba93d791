import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StartupError } from '../errors.ts';
import { lockDirectory } from './lock.ts';

const contenderFile = fileURLToPath(new URL('../../test/harness/lock-contender.ts', import.meta.url));
const children: ChildProcess[] = [];
let parent: string;
let directory: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'faultline-lock-'));
  directory = join(parent, 'data');
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(parent, { recursive: true, force: true });
});

async function startContender(): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [contenderFile, directory], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [said] = child.stdout ? await once(child.stdout, 'data') : [''];
  return { child, said: String(said).trim() };
}

async function kill(child: ChildProcess) {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

test('a second one is refused in a sentence that names the owner and the way out', async () => {
  const lock = await lockDirectory(directory);
  await expect(lockDirectory(directory)).rejects.toThrow(
    new StartupError(
      `The data directory ${directory} is in use by another Faultline process (pid ${process.pid}). Stop it, or set FAULTLINE_DATA_DIR to another directory.`,
    ),
  );
  await lock.release();
  await (await lockDirectory(directory)).release();
});

test('the directory is private', async () => {
  await lockDirectory(directory);
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
});

test('of six processes that start at once exactly one wins, also over a dead owner', async () => {
  for (let round = 0; round < 2; round++) {
    const contenders = await Promise.all(Array.from({ length: 6 }, () => startContender()));
    const winners = contenders.filter(({ said }) => said === 'won');
    expect(contenders.map(({ said }) => said)).toHaveLength(6);
    expect(winners).toHaveLength(1);
    expect(contenders.filter(({ said }) => said.startsWith('StartupError: The data directory'))).toHaveLength(5);
    for (const { child } of winners) await kill(child);
  }
  expect((await readdir(directory)).filter((name) => name.startsWith('draft-'))).toEqual([]);
}, 60_000);

test('many starters in one process race over a dead owner, and one wins', async () => {
  for (let round = 0; round < 20; round++) {
    const owner = await lockDirectory(directory);
    const [name = ''] = (await readdir(directory)).filter((file) => file.startsWith('lock-'));
    await writeFile(join(directory, name), JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1' }));
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => lockDirectory(directory)));
    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    await won[0]?.value.release();
    void owner;
  }
});

test('a pid that now belongs to another process does not hold the lock', async () => {
  await lockDirectory(directory);
  const [name = ''] = (await readdir(directory)).filter((file) => file.startsWith('lock-'));
  const owner: { pid: number; startedAt: string | null } = JSON.parse(await readFile(join(directory, name), 'utf8'));
  expect(owner.pid).toBe(process.pid);
  if (owner.startedAt === null) return;
  await writeFile(join(directory, name), JSON.stringify({ ...owner, startedAt: '1' }));
  await (await lockDirectory(directory)).release();
});

test('a place that cannot be a directory is refused in one sentence', async () => {
  await writeFile(directory, 'a file');
  await expect(lockDirectory(join(directory, 'below'))).rejects.toThrow(
    /^The data directory .* cannot be created or written \(ENOTDIR\)/,
  );
});
