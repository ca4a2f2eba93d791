import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { createListener } from './listen.ts';

test('one that is stopped while it connects gives its connection back', async () => {
  let released = 0;
  const client = Object.assign(new EventEmitter(), { query: async () => undefined, release: () => released++ });
  const connecting = Promise.withResolvers<typeof client>();
  // Only what the listener uses of a pool.
  const pool = { connect: () => connecting.promise } as unknown as pg.Pool;
  const log = { warn: () => undefined };
  const listener = createListener({ pool, log });
  listener.start();
  listener.stop();
  connecting.resolve(client);
  await new Promise((resolve) => setImmediate(resolve));
  expect(released).toBe(1);
});
