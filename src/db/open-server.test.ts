import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { silentLog } from '../../test/harness/database.ts';
import { StartupError } from '../errors.ts';
import { openDatabase } from './open.ts';

async function openingFails(databaseUrl: string): Promise<string> {
  const outcome: unknown = await openDatabase({ databaseUrl, dataDir: '', log: silentLog }).catch(
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(StartupError);
  return String(outcome);
}

describe('a server that cannot be used is one sentence without the password', () => {
  test('nobody listens there', async () => {
    expect(await openingFails('postgres://someone:s3cret@127.0.0.1:1/nowhere')).toBe(
      'StartupError: The database at 127.0.0.1:1/nowhere cannot be used (connect ECONNREFUSED 127.0.0.1:1). Check DATABASE_URL and that the server runs.',
    );
  });

  test('somebody listens and never answers', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = address && typeof address === 'object' ? address.port : 0;
    expect(await openingFails(`postgres://someone:s3cret@127.0.0.1:${port}/nowhere`)).toBe(
      `StartupError: The database at 127.0.0.1:${port}/nowhere cannot be used (no answer within 4 seconds). Check DATABASE_URL and that the server runs.`,
    );
    silent.close();
  });

  test('it is no address at all', async () => {
    expect(await openingFails('s3cret')).toBe(
      'StartupError: DATABASE_URL is not an address such as postgres://user:password@host:5432/faultline.',
    );
  });
});
