import { readFileSync } from 'node:fs';

/** package.json lies one level above both `src/` and `dist/`. */
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }; // our own file

export const version = manifest.version;
