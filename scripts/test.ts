/** What `npm test` runs: all tests on all databases that this machine has, and a summary that says which those were. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
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
for (const { test, reason } of report.secondTries) {
  print(`Passed only the second time, a fault to look for: ${test} (${reason})`);
}
print(`${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped`);
process.exitCode = exitCode || (report.failed > 0 ? 1 : 0);

function runVitest(): Promise<number> {
  const chosen = projects.flatMap((project) => ['--project', project]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  // Browsers, killed processes and crashes on a busy machine: a whole run is not lost to one of three thousand, but the summary names it.
  const args = [vitest, 'run', '--retry=1', ...chosen, ...reporters, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, {
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
  testResults?: Array<{ name: string; status: string; assertionResults: VitestResult[] }>;
};
type VitestResult = { status: string; fullName: string; failureMessages: string[] };

type Report = {
  passed: number;
  failed: number;
  skipped: number;
  /** Tests that failed and then passed, with what was wrong. */
  secondTries: { test: string; reason: string }[];
};

async function readReport(): Promise<Report> {
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
    secondTries: (counts.testResults ?? []).flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
        .map(({ fullName, failureMessages: [reason] }) => ({
          test: `${relative(process.cwd(), name)}: ${fullName}`,
          reason: reason.split('\n', 1)[0],
        })),
    ),
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
