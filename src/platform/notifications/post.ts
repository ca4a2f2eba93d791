import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { OutboundGuard } from '../../workflows/worker/outbound.ts';

export type PostAnswer = { status: number; retryAfterSeconds: number | undefined };

/** One POST, only to addresses that the guard lets through. What is answered beyond the status is not read; redirects are not followed. */
export async function postGuarded(
  address: string,
  { body, headers }: { body: string; headers: Record<string, string> },
  guard: OutboundGuard,
  signal: AbortSignal,
): Promise<PostAnswer> {
  const url = new URL(address);
  guard.checkHost(url.hostname);
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(
      url,
      {
        method: 'POST',
        // A socket of its own: one that was kept could be an old answer of the name's.
        agent: false,
        headers: { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
        lookup: guard.lookup,
        signal,
      },
      resolve,
    )
      .on('error', reject)
      .end(body);
  });
  answer.on('error', () => undefined);
  answer.destroy();
  const seconds = Number(answer.headers['retry-after']);
  return {
    status: answer.statusCode ?? 0,
    retryAfterSeconds: Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
  };
}
