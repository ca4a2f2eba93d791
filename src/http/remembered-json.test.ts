import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { registerCompression } from './compression.ts';
import { createRememberedJson } from './remembered-json.ts';

const value = { text: 'x'.repeat(5000) };

test('a handler that waits first sends the whole answer, also a compressed one', async () => {
  const app = Fastify();
  registerCompression(app);
  const send = createRememberedJson((one: typeof value) => one);
  app.get('/now', (_request, reply) => send(reply, value));
  app.get('/later', (_request, reply) => Promise.resolve(value).then((one) => send(reply, one)));
  for (const url of ['/now', '/later', '/later']) {
    const answer = await app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
    expect(JSON.parse(gunzipSync(answer.rawPayload).toString())).toEqual(value);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  }
});

test('the JSON is made once per value', () => {
  let times = 0;
  const send = createRememberedJson(() => ({ times: ++times }));
  const sent: unknown[] = [];
  const reply = { type: () => reply, send: (text: unknown) => void sent.push(text) };
  for (const one of [value, value, { ...value }]) send(reply as never, one); // as much of a reply as it uses
  expect(sent).toEqual(['{"times":1}', '{"times":1}', '{"times":2}']);
});
