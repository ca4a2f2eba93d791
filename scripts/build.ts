/** Compiles `src/` to `dist/`, and puts in what the package needs besides. Run by `npm pack`. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTemplate, makeTemplate } from '../src/db/template.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));

// A file that was renamed in src must not live on in the package.
rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (!findTemplate()) await makeTemplate();
const template = findTemplate();
if (!template) throw new Error('The template of the embedded database could not be made.');
copyFileSync(template, join(dist, basename(template)));
// Generated JavaScript, which the compiler does not carry over.
copyFileSync(join(root, 'src/qos/query-parser.js'), join(dist, 'qos/query-parser.js'));
// Files that `faultline init` writes, as they are.
cpSync(join(root, 'src/cli/init-home'), join(dist, 'cli/init-home'), { recursive: true });
chmodSync(join(dist, 'main.js'), 0o755);
