/** What `npm test` runs: all tests on all databases that this machine has, and a summary that says which those were. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pgliteVersion } from '../src/db/template.ts';
import { findBrowser } from '../test/harness/browser.ts';
import { findPostgresBinaries } from '../test/harness/postgres.ts';

const vitest = fileURLToPath(new URL('../vitest.mjs', import.meta.resolve('vitest')));
const hasPostgres = Boolean(process.env['TEST_DATABASE_URL'] ?? (await findPostgresBinaries()));
const projects = ['unit', 'page', 'embedded', ...(hasPostgres ? ['postgres'] : [])];
const directory = await mkdtemp(join(tmpdir(), 'faultline-report-'));
const reportFile = join(directory, 'report.json');
const versionFile = join(directory, 'postgres-version');

const exitCode = await runVitest();
const version = await readFile(versionFile, 'utf8').catch(() => undefined);
const report = await readReport();
// A server that does not start, or an error outside of any test, fails the run without failing a test.
if (exitCode !== 0 && report.failed === 0) report.failed = 1;
await rm(directory, { recursive: true, force: true });

const postgresPart = hasPostgres
  ? version
    ? `, PostgreSQL ${version}`
    : '. PostgreSQL not covered: it was found but did not run'
  : '. PostgreSQL not covered: no server found; set TEST_DATABASE_URL or install postgresql';
print(`\nDatabases covered: PGlite ${pgliteVersion}${postgresPart}`);
const browser = findBrowser();
print(
  browser
    ? `Browser covered: ${browser}`
    : 'Browser not covered: no Chromium found; install chromium, or set TEST_BROWSER',
);
print(`${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped`);
process.exitCode = exitCode || (report.failed > 0 ? 1 : 0);

function runVitest(): Promise<number> {
  const chosen = projects.flatMap((project) => ['--project', project]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const child = spawn(process.execPath, [vitest, 'run', ...chosen, ...reporters, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, FAULTLINE_TEST_VERSION_FILE: versionFile },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** The part of vitest's JSON report that is used here. */
type VitestReport = {
  numPassedTests?: number;
  numFailedTests?: number;
  numPendingTests?: number;
  numTodoTests?: number;
  testResults?: Array<{ status: string; assertionResults: unknown[] }>;
};

async function readReport(): Promise<{ passed: number; failed: number; skipped: number }> {
  const text = await readFile(reportFile, 'utf8').catch(() => '{}');
  const counts: VitestReport = JSON.parse(text);
  // A file that fails before its first test counts as one failure: vitest does not count it among the tests.
  const brokenFiles =
    counts.testResults?.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0)
      .length ?? 0;
  return {
    passed: counts.numPassedTests ?? 0,
    failed: (counts.numFailedTests ?? 0) + brokenFiles,
    skipped: (counts.numPendingTests ?? 0) + (counts.numTodoTests ?? 0),
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
