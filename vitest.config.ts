import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const databaseTests = ['src/**/*.db.test.ts', 'test/**/*.db.test.ts'];

/** One suite, two databases: `*.db.test.ts` runs in both `embedded` and `postgres`, everything else in `unit`. */
export default defineConfig({
  test: {
    // Tests wait for databases more than for the processor; vitest's own choice would be one worker on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.{ts,tsx}'],
          exclude: databaseTests,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'embedded',
          include: databaseTests,
          provide: { serverUrl: '', templateName: '' },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'postgres',
          include: databaseTests,
          globalSetup: ['test/harness/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
