import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Client } from 'pg';

export type PostgresServer = { url: string; stop(): Promise<void> };

/** The directory with `initdb` and `postgres`, or undefined on a machine without a server. */
export async function findPostgresBinaries(): Promise<string | undefined> {
  const candidates = [
    pgConfigDirectory(),
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...(await debianDirectories()),
  ];
  return candidates.find(
    (directory) => directory && existsSync(join(directory, 'initdb')) && existsSync(join(directory, 'postgres')),
  );
}

/**
 * A server of our own on a free loopback port, in a temporary directory that goes with it.
 * `isDurable` keeps fsync on, for tests that kill it.
 */
export async function startPostgres(binaries: string, { isDurable = false } = {}): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'faultline-postgres-'));
  const user = await chooseUser();
  if (user) await chown(directory, user.uid, user.gid);
  await chmod(directory, 0o700);
  const data = join(directory, 'data');
  const identity = user ? { uid: user.uid, gid: user.gid } : {};
  const options = { cwd: directory, ...identity, env: { ...process.env, HOME: directory, LC_ALL: 'C.UTF-8' } };
  execFileSync(join(binaries, 'initdb'), ['-D', data, '-U', 'faultline', '--auth=trust', '-E', 'UTF8', '--no-sync'], {
    ...options,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const port = await freePort();
  const speed = isDurable ? [] : ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'synchronous_commit=off'];
  // The shell in between waits for the end of its input, which also comes when this process is killed: nothing stays behind.
  const server = spawn(
    'sh',
    [
      '-c',
      guardScript,
      'sh',
      directory,
      join(binaries, 'postgres'),
      '-D',
      data,
      '-p',
      String(port),
      '-k',
      directory,
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'max_connections=200',
      ...speed,
    ],
    { ...options, cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  let complaints = '';
  server.stderr.on('data', (text: Buffer) => {
    complaints = (complaints + text.toString()).slice(-4_000);
  });
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const url = `postgres://faultline@127.0.0.1:${port}/postgres`;
  const stop = async () => {
    server.stdin.end();
    await exited;
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(url, () => server.exitCode !== null);
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL was found in ${binaries} but does not start.\n${complaints}`, { cause: error });
  }
  return { url, stop };
}

/** SIGQUIT ends the server at once, without goodbyes: the data is thrown away. If it dies by itself, so does the shell. */
const guardScript = `
directory=$1; shift
exec 3<&0
"$@" </dev/null & server=$!
( read _ <&3; kill -QUIT $server 2>/dev/null ) & watcher=$!
wait $server; code=$?
kill $watcher 2>/dev/null
rm -rf "$directory"
exit $code`;

function pgConfigDirectory(): string | undefined {
  try {
    return execFileSync('pg_config', ['--bindir'], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return undefined;
  }
}

/** Debian keeps the binaries outside PATH, one directory a major version. */
async function debianDirectories(): Promise<string[]> {
  const root = '/usr/lib/postgresql';
  const versions = await readdir(root).catch(() => []);
  return versions.toSorted((a, b) => Number(b) - Number(a)).map((version) => join(root, version, 'bin'));
}

/** PostgreSQL refuses to run as root: then it runs as `postgres`, or as `nobody`. */
async function chooseUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) };
    } catch {
      // no such user
    }
  }
  throw new Error('PostgreSQL cannot run as root, and there is neither a user postgres nor a user nobody.');
}

const idOf = (flag: string, name: string): number =>
  Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }).toString());

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

async function waitUntilReady(url: string, hasDied: () => boolean): Promise<void> {
  for (let tries = 0; ; tries++) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (hasDied() || tries > 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
