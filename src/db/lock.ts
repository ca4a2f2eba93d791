import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartupError } from '../errors.ts';

/**
 * PGlite does not guard its directory, and two processes on one directory lose acknowledged rows silently.
 *
 * The lock is the file `lock-N` with the highest N. It is never taken away from a dead owner; a starter creates `lock-N+1`
 * instead, and creation is exclusive, so of two starters that both found the owner dead exactly one wins. For the
 * same reason a release does not delete the file but empties it: the numbers only grow.
 *
 *   lock-3 (pid 12, dead) ─▶ A creates lock-4 ─▶ A deletes lock-3
 *                          └▶ B cannot create lock-4, looks again, finds A alive, refuses
 */
export async function lockDirectory(directory: string): Promise<{ release(): Promise<void> }> {
  await makeWritableDirectory(directory);
  const mine = await describeOwner(process.pid);
  for (;;) {
    const newest = Math.max(0, ...(await lockNumbers(directory)));
    await refuseIfHeld(directory, newest);
    const number = newest + 1;
    if (!(await createLock(directory, number, mine))) continue;
    // A listing is no snapshot: if it missed a lock that was being handed on, that one has a higher number.
    const numbers = await lockNumbers(directory);
    if (Math.max(...numbers) !== number) {
      await rm(lockFile(directory, number), { force: true });
      continue;
    }
    await Promise.all(numbers.filter((n) => n < number).map((n) => rm(lockFile(directory, n), { force: true })));
    return { release: () => releaseLock(directory, number) };
  }
}

type Owner = { pid: number; startedAt: string | null };

const lockFile = (directory: string, number: number) => join(directory, `lock-${number}`);

async function makeWritableDirectory(directory: string): Promise<void> {
  const probe = join(directory, `probe-${randomBytes(6).toString('hex')}`);
  try {
    await makeDirectory(directory);
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    throw new StartupError(
      `The data directory ${directory} cannot be created or written (${reasonOf(error)}). Make it writable, or set FAULTLINE_DATA_DIR to another directory.`,
      { cause: error },
    );
  }
}

/** Not `mkdir` with `recursive`: where a parent refuses every entry (such as /proc), that one tries for ever. */
async function makeDirectory(directory: string): Promise<void> {
  if (existsSync(directory)) return;
  await makeDirectory(dirname(directory));
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

async function lockNumbers(directory: string): Promise<number[]> {
  const names = await readdir(directory);
  return names.flatMap((name) => /^lock-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
}

async function refuseIfHeld(directory: string, number: number): Promise<void> {
  const content = await readFile(lockFile(directory, number), 'utf8').catch(() => '');
  const owner = parseOwner(content);
  if (!owner) return;
  const living = await describeOwner(owner.pid);
  const isAlive = living !== undefined && living.startedAt === owner.startedAt;
  if (!isAlive) return;
  throw new StartupError(
    `The data directory ${directory} is in use by another Faultline process (pid ${owner.pid}). Stop it, or set FAULTLINE_DATA_DIR to another directory.`,
  );
}

/** False if somebody else made it first. Linking a finished file means that nobody reads a half-written lock. */
async function createLock(directory: string, number: number, owner: Owner | undefined): Promise<boolean> {
  const draft = join(directory, `draft-${randomBytes(6).toString('hex')}`);
  await writeFile(draft, JSON.stringify(owner), { mode: 0o600 });
  try {
    await link(draft, lockFile(directory, number));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function releaseLock(directory: string, number: number): Promise<void> {
  const draft = join(directory, `draft-${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(draft, '', { mode: 0o600 });
    await rename(draft, lockFile(directory, number));
  } catch (error) {
    // The directory may be gone already; then there is nothing left to guard.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function parseOwner(content: string): Owner | undefined {
  const match = /^\{"pid":(\d+),"startedAt":(?:"(\d+)"|null)\}$/.exec(content);
  return match?.[1] ? { pid: Number(match[1]), startedAt: match[2] ?? null } : undefined;
}

/** Undefined if no such process lives. The start time tells a process from a later one that was given the same pid. */
async function describeOwner(pid: number): Promise<Owner | undefined> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return undefined;
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return { pid, startedAt: null };
  // The second field is the command in parentheses and may contain anything; the third is the state, the 22nd the start.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isZombie = fields[0] === 'Z' || fields[0] === 'X';
  return isZombie ? undefined : { pid, startedAt: fields[19] ?? null };
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
const reasonOf = (error: unknown): string => String(codeOf(error) ?? error);
