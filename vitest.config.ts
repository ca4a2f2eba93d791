import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const databaseTests = ['src/**/*.db.test.ts', 'test/**/*.db.test.ts'];
const pageTests = ['test/page/**/*.test.ts'];

/** One suite, two databases: `*.db.test.ts` runs in both `embedded` and `postgres`, the page's in `page`, everything else in `unit`. */
export default defineConfig({
  test: {
    // Tests wait for databases more than for the processor; vitest's own choice would be one worker on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.{ts,tsx}'],
          exclude: [...databaseTests, ...pageTests],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'page',
          include: pageTests,
          globalSetup: ['test/harness/page-setup.ts'],
          // A browser on a busy machine: patience, not a measurement.
          testTimeout: 120_000,
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          name: 'embedded',
          include: databaseTests,
          globalSetup: ['test/harness/page-setup.ts'],
          provide: { serverUrl: '', templateName: '' },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'postgres',
          include: databaseTests,
          globalSetup: ['test/harness/page-setup.ts', 'test/harness/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
