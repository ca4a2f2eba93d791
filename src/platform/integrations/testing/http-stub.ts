import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export type Seen = { method: string; url: URL; headers: IncomingMessage['headers']; body: string };
type Reply = { status?: number; headers?: Record<string, string>; body?: unknown; breaksOff?: boolean };

/** A place on this machine that answers as told and remembers what it was asked. */
export async function startHttpStub(answer: (seen: Seen) => Reply, host = '127.0.0.1') {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const reply = (body: string): void => {
      const { method = '', url = '/', headers } = request;
      const one = { method, url: new URL(url, 'http://stub'), headers, body };
      seen.push(one);
      const told = answer(one);
      response.writeHead(told.status ?? 200, { 'content-type': 'application/json', ...told.headers });
      const text = typeof told.body === 'string' ? told.body : JSON.stringify(told.body ?? {});
      if (told.breaksOff) response.write(text, () => response.destroy());
      else response.end(text);
    };
    void readText(request).then(reply);
  }).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  afterAll(() => void server.close());
  return { url: `http://${host}:${port}`, port, seen };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
