import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

/** A guard that has never been seen to fail is no guard: here is a tree that breaks every rule once, and one that breaks none. */
const repository = fileURLToPath(new URL('..', import.meta.url));
const testMs = 240_000;

const goodFiles = {
  'package.json': `${JSON.stringify({ name: 'tree', type: 'module', scripts: { start: 'node src/main.ts' } }, null, 2)}\n`,
  'src/main.ts': "import { greet } from './greeting.ts';\n\nprocess.stdout.write(greet('world'));\n",
  'src/greeting.ts': 'export const greet = (name: string): string => `Hello, ${name}.\\n`;\n',
};

const badFiles = {
  ...goodFiles,
  'src/main.ts': ['format', 'floating', 'wrong', 'cycle-a', 'leak', 'dead', 'news/news.service']
    .map((name) => `import './${name}.ts';\n`)
    .join(''),
  'src/format.ts': "process.stdout.write( 'spaces' )\n",
  'src/floating.ts': 'const later = async (): Promise<void> => {};\nlater();\n',
  'src/wrong.ts': "const count: number = 'one';\nprocess.stdout.write(String(count));\n",
  'src/cycle-a.ts': "import { b } from './cycle-b.ts';\n\nexport const a = (): unknown => b;\n",
  'src/cycle-b.ts': "import { a } from './cycle-a.ts';\n\nexport const b = (): unknown => a;\n",
  'src/leak.ts': "process.stdout.write(process.env['HOME'] ?? '');\n",
  'src/dead.ts': 'export const nobodyWantsMe = 1;\n',
  'src/news/news.service.ts': "import 'pg';\n",
};

test('a tree that breaks every rule is told each of them', { timeout: testMs }, async () => {
  const { code, output } = await check(badFiles);
  expect(code).toBe(1);
  expect(output).toMatch(/FAILED\s+format/);
  expect(output).toContain('src/format.ts');
  expect(output).toMatch(/FAILED\s+lint/);
  expect(output).toContain('no-floating-promises');
  expect(output).toContain('no-cycle');
  expect(output).toMatch(/FAILED\s+types/);
  expect(output).toMatch(/src\/wrong\.ts.*TS2322/);
  expect(output).toMatch(/FAILED\s+import rules/);
  expect(output).toContain('src/leak.ts reads process.env');
  expect(output).toContain('src/news/news.service.ts imports pg');
  expect(output).toMatch(/FAILED\s+dead code/);
  expect(output).toContain('nobodyWantsMe');
  expect(output).toContain('Failed: format, lint, types, import rules, dead code.');
});

test('a tree that breaks none passes', { timeout: testMs }, async () => {
  const { code, output } = await check(goodFiles);
  expect(output).not.toContain('FAILED');
  expect(code).toBe(0);
});

const trees: string[] = [];
afterAll(async () => {
  for (const tree of trees) await rm(tree, { recursive: true, force: true });
});

/** The repository's own rules and tools, on a tree of its own. */
async function check(files: Record<string, string>): Promise<{ code: number; output: string }> {
  const tree = await mkdtemp(join(tmpdir(), 'faultline-check-'));
  trees.push(tree);
  for (const name of ['biome.json', '.oxlintrc.json', 'tsconfig.json', 'knip.json']) {
    await cp(join(repository, name), join(tree, name));
  }
  await symlink(join(repository, 'node_modules'), join(tree, 'node_modules'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(tree, name)), { recursive: true });
    await writeFile(join(tree, name), text);
  }
  return new Promise((resolve) => {
    const args = [join(repository, 'scripts/check.ts'), '--fast', tree];
    execFile(process.execPath, args, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}
