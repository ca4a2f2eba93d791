/**
 * Who may import what (ARCHITECTURE.md). `node scripts/import-rules.ts [root]` prints every violation and exits 1 if there is one.
 * Cycles are the linter's business (`import/no-cycle`); here are the rules that it cannot say.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export type SourceFile = { path: string; text: string };
type Import = { from: string; target: string; isTypeOnly: boolean };

const infrastructure = new Set(['http', 'db', 'cli']);
/** Vocabulary that every feature speaks: pure files, which other features may import without a detour. */
const sharedVocabulary = new Set([
  'src/identity/access.ts',
  'src/graph/array-lines.ts',
  'src/graph/line-batches.ts',
  'src/graph/message.ts',
  'src/platform/integrations/sources/metric-source.ts',
  'src/qos/query.ts',
  'src/qos/config-check.ts',
  'src/workflows/definitions/payload-schema.ts',
  'src/workflows/worker/outbound.ts',
  'src/workflows/worker/outbound-request.ts',
  'src/workflows/built-ins.ts',
  'src/platform/notifications/event.ts',
]);
/** One parser for the API, the evaluation and the editor: the page runs these pure files itself, so that it complains as the service would. */
const sharedWithPage = new Set(['src/qos/config-check.ts', 'src/qos/query.ts']);
/** The composition root and the entry point see everything: wiring is their purpose. */
const roots = new Set(['src/app.ts', 'src/main.ts']);
/** Development code, which may reach into anything. */
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);

/** One sentence per violation. */
export function findViolations(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => !isTest(path))
    .flatMap((file) => [...importsOf(file).flatMap(checkImport), ...checkEnvironment(file)]);
}

function checkImport(one: Import): string[] {
  const { from, target } = one;
  const say = (reason: string) => [`${from} imports ${target}: ${reason}`];
  if (from.startsWith('web/')) {
    const isType = one.isTypeOnly && target.endsWith('.schemas.ts');
    const isAllowed = !target.startsWith('src/') || isType || sharedWithPage.has(target);
    return isAllowed ? [] : say('the page takes only types from *.schemas.ts, and the parser of queries');
  }
  if (!from.startsWith('src/') || roots.has(from)) return [];
  if (isPackage(target, ['fastify', '@fastify'])) {
    return from.endsWith('.routes.ts') || from.startsWith('src/http/')
      ? []
      : say('only *.routes.ts and src/http speak HTTP');
  }
  if (isPackage(target, ['kysely', 'pg', 'pg-copy-streams', '@electric-sql/pglite'])) {
    return from.endsWith('.store.ts') || from.startsWith('src/db/') ? [] : say('only *.store.ts and src/db speak SQL');
  }
  const [mine, theirs] = [featureOf(from), featureOf(target)];
  if (mine === undefined || theirs === undefined || mine === theirs) return [];
  if (/\.(service|schemas)\.ts$/.test(target) || sharedVocabulary.has(target)) return [];
  return say(`the feature "${mine}" reaches "${theirs}" only through its *.service.ts or *.schemas.ts`);
}

/** `process.env` is read in config.ts; a command hands it over whole. */
function checkEnvironment({ path, text }: SourceFile): string[] {
  if (!path.startsWith('src/') || path === 'src/config.ts') return [];
  const allowed = path.startsWith('src/cli/')
    ? text.replaceAll(/\b(readConfig|readClientConfig|readWorkerConfig|saveLogin)\(process\.env/g, '')
    : text;
  return /process\s*\.\s*env|\benv\b[^;]*from 'node:process'/.test(withoutComments(allowed))
    ? [`${path} reads process.env: settings are read in src/config.ts, and only there`]
    : [];
}

/** Static imports, re-exports and `import('…')`, resolved to paths from the root where they are relative. */
function importsOf({ path, text }: SourceFile): Import[] {
  const code = withoutComments(text);
  const statements = code.matchAll(/^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s*)?['"]([^'"]+)['"]/gm);
  const calls = code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g);
  const found = [
    ...[...statements].map(([, type, target]) => ({ target, isTypeOnly: type !== undefined })),
    ...[...calls].map(([, target]) => ({ target, isTypeOnly: false })),
  ];
  return found.map(({ target, isTypeOnly }) => ({
    from: path,
    target: target.startsWith('.') ? normalize(join(dirname(path), target)) : target,
    isTypeOnly,
  }));
}

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

const isPackage = (target: string, names: string[]): boolean =>
  names.some((name) => target === name || target.startsWith(`${name}/`));

/** `src/news/news.store.ts` belongs to `news`; what lies in src itself, in http, db or cli belongs to no feature. */
function featureOf(path: string): string | undefined {
  const folder = /^src\/([^/]+)\//.exec(path)?.[1];
  return folder === undefined || infrastructure.has(folder) ? undefined : folder;
}

function readTree(root: string): SourceFile[] {
  return ['src', 'web']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => {
      const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile() && /\.(ts|tsx|js|mjs)$/.test(entry.name));
    })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !relative(root, file).startsWith('web/dist/'))
    .map((file) => ({ path: relative(root, file), text: readFileSync(file, 'utf8') }));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const violations = findViolations(readTree(resolve(process.argv[2] ?? '.')));
  for (const violation of violations) process.stderr.write(`${violation}\n`);
  process.exitCode = violations.length > 0 ? 1 : 0;
}
