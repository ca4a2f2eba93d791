import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';

const dist = fileURLToPath(new URL('../../web/dist/', import.meta.url));
const maxFirstViewBytes = 250_000;

/** The part of Vite's manifest that is read here. */
type Entry = { file: string; isEntry?: boolean; imports?: string[]; dynamicImports?: string[] };
const manifest: Record<string, Entry> = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8'));

/** A file and everything it imports before it can run. */
function filesBehind(key: string, seen = new Set<string>()): Set<string> {
  const entry = manifest[key];
  if (!entry || seen.has(entry.file)) return seen;
  seen.add(entry.file);
  for (const next of entry.imports ?? []) filesBehind(next, seen);
  return seen;
}

const compressedBytes = (file: string): number => {
  const written = statSync(`${dist}${file}.br`, { throwIfNoEntry: false })?.size;
  return written ?? brotliCompressSync(readFileSync(dist + file)).length;
};

test('what the first view needs is less than 250 kB of compressed script', () => {
  const files = new Set([...filesBehind('index.html'), ...filesBehind('src/overview/overview.tsx')]);
  const scripts = [...files].filter((file) => file.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(1);
  expect(scripts.reduce((sum, file) => sum + compressedBytes(file), 0)).toBeLessThanOrEqual(maxFirstViewBytes);
});

test('what lays drawings out waits until somebody goes there', () => {
  const first = [...filesBehind('index.html')].map((file) => readFileSync(dist + file, 'utf8')).join('');
  expect(first.includes('dagre')).toBe(false);
});
