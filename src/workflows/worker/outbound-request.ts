import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { OutboundGuard } from './outbound.ts';

const idleMs = 30_000;

/** Sends one request, only to addresses that the guard lets through. Redirects are answered, not followed. */
function send(
  url: string,
  options: { method: string; headers: Record<string, string>; body: string | undefined },
  guard: OutboundGuard,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const target = URL.parse(url);
  if (!target || !/^https?:$/.test(target.protocol)) throw new Error(`"${url}" is not an http or https address.`);
  guard.checkHost(target.hostname);
  const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
  const { method, headers, body } = options;
  return new Promise((resolve, reject) => {
    request(target, { method, headers, lookup: guard.lookup, signal, timeout: idleMs }, resolve)
      .on('timeout', function (this: { destroy(error: Error): void }) {
        this.destroy(new Error(`${target.host} did not answer within ${idleMs / 1000} s.`));
      })
      .on('error', reject)
      .end(body);
  });
}

/** The body of an answer, as a stream. */
export async function openGuarded(url: string, guard: OutboundGuard, signal: AbortSignal): Promise<IncomingMessage> {
  const answer = await send(url, { method: 'GET', headers: { accept: '*/*' }, body: undefined }, guard, signal);
  if (answer.statusCode === 200) return answer;
  answer.destroy();
  throw new Error(`${url} answered ${answer.statusCode}.`);
}

export async function postGuarded(
  url: string,
  json: object,
  guard: OutboundGuard,
  signal: AbortSignal,
): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const answer = await send(url, { method: 'POST', headers, body: JSON.stringify(json) }, guard, signal);
  answer.resume();
  return answer.statusCode ?? 0;
}
