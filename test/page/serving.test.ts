import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';

const dist = fileURLToPath(new URL('../../web/dist/', import.meta.url));
const document = readFileSync(`${dist}index.html`, 'utf8');
const script = /src="(\/assets\/[^"]+\.js)"/.exec(document)?.[1] ?? '';
let app: TestApp;
let address: string;

beforeAll(async () => {
  app = await startTestApp();
  address = await app.listen();
});

test.each(['/', '/app', '/app/teams/x/nodes/Server/a%2Fb'])(
  '%s is the document, asked for anew each time',
  async (path) => {
    const answer = await fetch(address + path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(await answer.text()).toBe(document);
    const etag = answer.headers.get('etag') ?? '';
    // Not with fetch: it adds words of its own that ask for the whole answer.
    expect((await app.request('GET', path, { headers: { 'if-none-match': etag } })).status).toBe(304);
  },
);

test('a script is kept for ever, and was compressed when it was built', async () => {
  const { headers, text } = await app.request('GET', script, { headers: { 'accept-encoding': 'br' } });
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(headers['content-encoding']).toBe('br');
  expect(headers['content-type']).toContain('javascript');
  expect(Number(headers['content-length'])).toBe(readFileSync(`${dist}${script}.br`).length);
  expect(text.length).toBeGreaterThan(0);
  const plain = await fetch(address + script, { headers: { 'accept-encoding': 'identity' } }).then((answer) =>
    answer.text(),
  );
  expect(plain).toBe(brotliDecompressSync(readFileSync(`${dist}${script}.br`)).toString());
});

test('the document holds no script of its own: the policy forbids it', () => {
  expect(document).not.toMatch(/<script(?![^>]*\ssrc=)/);
  expect(document).not.toMatch(/\son\w+=/);
});

test('what lies beside the assets is not served', async () => {
  for (const path of ['/assets/../.vite/manifest.json', '/.vite/manifest.json', '/assets/%2e%2e/index.html']) {
    expect((await app.request('GET', path)).status).toBe(404);
  }
});
