import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Environment, type Outcome, runCommand, startService } from './harness/command.ts';
import { newTestDirectory } from './harness/database.ts';

const serve = (env: Environment): Promise<Outcome> =>
  runCommand(['serve'], { env: { PORT: '0', FAULTLINE_LOG: 'warn', ...env } });

/** Exit code 2, nothing on standard output, and one readable line instead of a stack. */
const refusal = (message: string | RegExp) => ({
  code: 2,
  stdout: '',
  stderr: expect.stringMatching(
    new RegExp(`^faultline: [^\n]*${typeof message === 'string' ? message : message.source}[^\n]*\n$`),
  ),
});

test('PORT=abc is refused', async () => {
  expect(await serve({ PORT: 'abc' })).toMatchObject(refusal('PORT must be a whole number'));
});

test('several faults in the settings are told together', async () => {
  const env = { PORT: '99999', FAULTLINE_LOG: 'loud', DATABASE_URL: 'mysql://x', FAULTLINE_RATE_LIMIT: '-1' };
  expect(await serve(env)).toMatchObject(refusal('PORT .*DATABASE_URL .*FAULTLINE_LOG .*FAULTLINE_RATE_LIMIT '));
});

test('a DATABASE_URL where nobody listens is refused, and its password is not shown', async () => {
  const outcome = await serve({ DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/faultline' });
  expect(outcome).toMatchObject(refusal(/127\.0\.0\.1:1\/faultline cannot be (reached|used).*DATABASE_URL/));
  expect(outcome.stderr).not.toContain('secret');
});

test('a data directory below a file is refused', async () => {
  expect(await serve({ FAULTLINE_DATA_DIR: '/dev/null/x' })).toMatchObject(
    refusal('cannot be created or written.*FAULTLINE_DATA_DIR'),
  );
});

// Root may write everywhere.
test.skipIf(process.getuid?.() === 0)('a read-only data directory is refused', async () => {
  const dataDir = await newTestDirectory();
  await chmod(dataDir, 0o500);
  expect(await serve({ FAULTLINE_DATA_DIR: dataDir })).toMatchObject(refusal('cannot be created or written'));
});

test('what cannot be listened on is refused: a port that is taken, an address of another machine', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address ? String(address.port) : '';
  const dataDir = join(await newTestDirectory(), 'data');
  expect(await serve({ FAULTLINE_DATA_DIR: dataDir, PORT: port })).toMatchObject(
    refusal(`Port ${port} .* is taken.*PORT`),
  );
  other.close();
  const elsewhere = await serve({ FAULTLINE_DATA_DIR: dataDir, HOST: '192.0.2.1' });
  expect(elsewhere).toMatchObject(refusal('192.0.2.1 is not an address of this machine'));
});

test('a second process on the same directory is refused, and the first goes on', async () => {
  const dataDir = join(await newTestDirectory(), 'data');
  const first = await startService({ FAULTLINE_DATA_DIR: dataDir });
  expect(await serve({ FAULTLINE_DATA_DIR: dataDir })).toMatchObject(refusal(`in use by another.*pid ${first.pid}`));
  expect((await fetch(`${first.url}/health/ready`)).status).toBe(200);
  expect((await first.stop()).code).toBe(0);
});
