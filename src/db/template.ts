import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';

/**
 * A data directory as `initdb` leaves it, packed: unpacking takes a third of the time that making it takes. It is made by
 * `npm ci` in a checkout, lies in `dist/` in the package, and everything works without it, only slower at first.
 */
const pglitePackage = new URL('../package.json', import.meta.resolve('@electric-sql/pglite'));
export const pgliteVersion = versionIn(readFileSync(pglitePackage, 'utf8'));

const fileName = `pglite-template-${pgliteVersion}.tar.gz`;
// src/db and dist/db are equally deep, so one of the two exists in either case.
const inCheckout = fileURLToPath(new URL(`../../.cache/${fileName}`, import.meta.url));
const inPackage = fileURLToPath(new URL(`../${fileName}`, import.meta.url));

export const findTemplate = (): string | undefined => [inPackage, inCheckout].find((file) => existsSync(file));

export async function makeTemplate(file: string = inCheckout): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const pglite = await PGlite.create('memory://');
  const packed = await pglite.dumpDataDir('gzip');
  await pglite.close();
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, Buffer.from(await packed.arrayBuffer()));
  await rename(draft, file);
}

/**
 * Where the embedded database lies, and the template to unpack there if it is new.
 *
 * The marker exists from before the first byte until the database answered for the first time. A start that finds it
 * knows that the one before died on the way, before anything was promised to anybody, and begins again.
 */
export async function prepareDirectory(dataDir: string) {
  const directory = join(dataDir, 'database');
  const marker = join(dataDir, 'database-unfinished');
  if (existsSync(marker)) await rm(directory, { recursive: true, force: true });
  const isNew = !existsSync(directory);
  if (isNew) await writeFile(marker, '');
  return {
    directory,
    template: isNew ? findTemplate() : undefined,
    finish: () => rm(marker, { force: true }),
  };
}

function versionIn(json: string): string {
  const parsed: unknown = JSON.parse(json);
  if (parsed && typeof parsed === 'object' && 'version' in parsed) return String(parsed.version);
  throw new Error('The installed PGlite has no version.');
}
