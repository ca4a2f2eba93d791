import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startService } from './harness/command.ts';
import { newTestDirectory } from './harness/database.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));

test('the package installs into an empty folder and serves', { timeout: 180_000 }, async () => {
  const directory = await newTestDirectory();
  // Of this checkout's tools only Node itself: whatever else the package needs must come with it.
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  const PATH = [bin, process.env['PATH']].join(delimiter);
  const npm = (args: string[], cwd: string) =>
    execFileSync('npm', args, { cwd, env: { ...process.env, PATH }, stdio: ['ignore', 'pipe', 'pipe'] }).toString();

  npm(['pack', '--pack-destination', directory], repository);
  const tarball = readdirSync(directory).find((name) => name.endsWith('.tgz')) ?? '';
  const folder = join(directory, 'empty');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{}');
  npm(['install', '--prefer-offline', '--no-audit', '--no-fund', join(directory, tarball)], folder);

  const installed = join(folder, 'node_modules', 'faultline');
  const files = readdirSync(installed, { recursive: true }).map(String);
  // What `faultline init` writes is there as it is, sources included.
  const template = files.filter((file) => file.startsWith('dist/cli/init-home/'));
  expect(template).toContain('dist/cli/init-home/tasks/hello.ts');
  const code = files.filter((file) => !template.includes(file));
  expect(code.filter((file) => /(^src|^test|\.test\.|(?<!\.d)\.ts$)/.test(file))).toEqual([]);
  expect(files.filter((file) => file.startsWith('dist/pglite-template-'))).toHaveLength(1);
  const { devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const unwanted = readdirSync(join(folder, 'node_modules')).filter((name) => name in devDependencies);
  expect(unwanted).toEqual([]);

  const npx = { file: 'npx', args: ['--no', 'faultline', 'serve'], cwd: folder };
  const dataDir = join(directory, 'data');
  const server = await startService({ PATH, HOME: directory, FAULTLINE_DATA_DIR: dataDir }, npx);
  const answer = await fetch(`${server.url}/api/ping`).then((response) => response.json());
  // npx keeps signals to itself, so the service is stopped by its own pid, which is in its lock.
  const lock = readdirSync(dataDir).find((name) => name.startsWith('lock-')) ?? '';
  process.kill(JSON.parse(readFileSync(join(dataDir, lock), 'utf8')).pid, 'SIGTERM');
  expect(answer).toEqual({ message: 'pong' });
  expect((await server.ended).code).toBe(0);
});
