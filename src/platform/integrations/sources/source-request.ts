import { type OutboundGuard, OutboundRefused } from '../../../workflows/worker/outbound.ts';
import {
  exchangeGuarded,
  type GuardedAnswer,
  type GuardedRequest,
} from '../../../workflows/worker/outbound-request.ts';
import { SourceFailure } from './metric-source.ts';

const maxBytes = 64 * 1024 * 1024;

export type SourceRequest = (
  path: string,
  options?: Pick<GuardedRequest, 'method' | 'headers' | 'body'> & { query?: Record<string, string> },
) => Promise<GuardedAnswer>;

/** Requests below a base address, with credentials, through the guard. Every failure is a sentence. */
export function createSourceRequest(
  {
    url,
    timeout_seconds: timeoutSeconds = 20,
    ...credentials
  }: { url: string; token?: string; user?: string; password?: string; timeout_seconds?: number },
  { guard, scheme = 'Bearer', signal }: { guard: OutboundGuard; scheme?: string; signal?: AbortSignal },
): SourceRequest {
  const timeoutMs = timeoutSeconds * 1000;
  const base = url.replace(/\/+$/, '');
  const authorization = authorizationOf(credentials, scheme);
  return async (path, { query, headers, ...options } = {}) => {
    const target = `${base}${path}${query ? `?${new URLSearchParams(query).toString()}` : ''}`;
    const all = { accept: 'application/json', 'user-agent': 'faultline', ...authorization, ...headers };
    try {
      return await exchangeGuarded(target, { ...options, headers: all, timeoutMs, maxBytes }, guard, signal);
    } catch (error) {
      const isPermanent = error instanceof OutboundRefused;
      throw new SourceFailure(describeFailure(error, `${base}${path}`), { cause: error, isPermanent });
    }
  };
}

export function authorizationOf(
  { token, user, password }: { token?: string; user?: string; password?: string },
  scheme = 'Bearer',
): Record<string, string> {
  if (token) return { authorization: `${scheme} ${token}` };
  if (!user && !password) return {};
  return { authorization: `Basic ${Buffer.from(`${user ?? ''}:${password ?? ''}`).toString('base64')}` };
}

/** What went wrong before there was an answer. */
export function describeFailure(error: unknown, place: string): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  if (inner instanceof OutboundRefused) return `${place} was not called: ${inner.message}`;
  const code = inner instanceof Error && 'code' in inner ? inner.code : undefined;
  if (code === 'ECONNREFUSED') return `Nothing listens at ${place}; check the address and the port.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The name in ${place} is not known; check the address.`;
  const message = inner instanceof Error ? inner.message || String(code) : String(inner);
  return /^[A-Z"h]/.test(message) && message.endsWith('.') ? message : `${place} cannot be used: ${message}.`;
}

/** The body as JSON if the status is good; else a sentence with what the source itself says about it. */
export function readJson(answer: GuardedAnswer, what: string, saidIn: (body: unknown) => unknown): unknown {
  let body: unknown;
  let isJson = true;
  try {
    body = JSON.parse(answer.text);
  } catch {
    isJson = false;
  }
  const { status } = answer;
  const isGood = status >= 200 && status < 300;
  if (isGood && isJson) return body;
  if (status === 401 || status === 403) {
    throw new SourceFailure(`${what} refuses the credentials (${status}); check token, user and password.`, {
      isPermanent: true,
    });
  }
  if (isGood) throw new SourceFailure(`What answers there is not ${what}: its answer is not JSON; check the address.`);
  throw new SourceFailure(`${what} answered ${status}${quoted(isJson ? saidIn(body) : undefined)}.`, {
    // Busy (429) and slow (408) may pass.
    isPermanent: status >= 400 && status < 500 && status !== 408 && status !== 429,
  });
}

/** At most a line of what others wrote. */
export function quoted(said: unknown): string {
  if (typeof said !== 'string' || said === '') return '';
  const line = said.replaceAll(/\s+/g, ' ').trim();
  return `: ${line.length > 300 ? `${line.slice(0, 300)}…` : line}`.replace(/\.$/, '');
}
