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
    // A connection of its own: one that is kept was checked for another caller, perhaps long ago.
    request(target, { method, headers, lookup: guard.lookup, agent: false, signal, timeout: idleMs }, resolve)
      .on('timeout', function (this: { destroy(error: Error): void }) {
        this.destroy(new Error(`${target.host} did not answer within ${idleMs / 1000} s.`));
      })
      .on('error', reject)
      .end(body);
  });
}

/** The body of an answer, as a stream. */
export async function openGuarded(
  url: string,
  guard: OutboundGuard,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  const all = { accept: '*/*', ...headers };
  const answer = await send(url, { method: 'GET', headers: all, body: undefined }, guard, signal);
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

export type GuardedAnswer = { status: number; headers: IncomingMessage['headers']; text: string; isCut: boolean };

export type GuardedRequest = {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  timeoutMs: number;
  /** A longer answer is an error, or with `cut` its beginning is enough. */
  maxBytes: number;
  cut?: boolean;
  maxRedirects?: number;
};

/**
 * A whole exchange, bounded in time and size. Redirects are followed, and the guard is asked again at each; credentials do not follow to
 * another origin. Messages name origin and path only: what stands behind a "?" may be a secret.
 */
export async function exchangeGuarded(
  url: string,
  { method = 'GET', headers = {}, body, timeoutMs, maxBytes, cut = false, maxRedirects = 3 }: GuardedRequest,
  guard: OutboundGuard,
  signal?: AbortSignal,
): Promise<GuardedAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  let step = { url: new URL(url), method, headers, body };
  try {
    for (let redirects = 0; ; redirects++) {
      const answer = await send(step.url.href, step, guard, either);
      const { location } = answer.headers;
      const status = answer.statusCode ?? 0;
      if (!isRedirect(status) || location === undefined) {
        return { status, headers: answer.headers, ...(await readBounded(answer, maxBytes, cut, step.url)) };
      }
      answer.destroy();
      if (redirects === maxRedirects) throw new Error(`${plain(step.url)} redirects more than ${maxRedirects} times.`);
      step = followed(step, status, location);
    }
  } catch (error) {
    if (timeout.aborted && !signal?.aborted) {
      throw new Error(`${plain(step.url)} did not answer within ${timeoutMs / 1000} s.`, { cause: error });
    }
    throw error;
  }
}

type Step = { url: URL; method: 'GET' | 'POST'; headers: Record<string, string>; body: string | undefined };

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** As browsers do: 303, and 301 or 302 after a POST, go on with GET. */
function followed(step: Step, status: number, location: string): Step {
  const url = URL.parse(location, step.url.href);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(`${plain(step.url)} redirects to what is no web address.`);
  const becomesGet = status === 303 || (status < 303 && step.method === 'POST');
  const isElsewhere = url.origin !== step.url.origin;
  const headers = Object.fromEntries(
    Object.entries(step.headers).filter(
      ([name]) =>
        !(isElsewhere && /^(authorization|cookie|x-)/i.test(name)) && !(becomesGet && /^content-/i.test(name)),
    ),
  );
  // A body may hold credentials too.
  if (isElsewhere && step.body !== undefined && !becomesGet) {
    throw new Error(`${plain(step.url)} redirects the request to another place, ${url.origin}; use that address.`);
  }
  return { url, method: becomesGet ? 'GET' : step.method, headers, body: becomesGet ? undefined : step.body };
}

async function readBounded(
  answer: IncomingMessage,
  maxBytes: number,
  cut: boolean,
  url: URL,
): Promise<{ text: string; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= maxBytes) continue;
    answer.destroy();
    if (cut) return { text: Buffer.concat(chunks).subarray(0, maxBytes).toString(), isCut: true };
    throw new Error(`The answer of ${plain(url)} is larger than ${maxBytes} bytes.`);
  }
  return { text: Buffer.concat(chunks).toString(), isCut: false };
}

const plain = (url: URL): string => `${url.origin}${url.pathname}`;
