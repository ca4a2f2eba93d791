import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { z } from 'zod';
import { httpWith } from '../built-ins.ts';
import { readArguments } from './built-in-arguments.ts';
import { type OutboundGuard, OutboundRefused } from './outbound.ts';
import type { TaskContext } from './task-context.ts';
import { TaskFailure } from './task-failure.ts';

type HttpArguments = z.infer<typeof httpWith>;
type Step = { url: URL; method: string; headers: Record<string, string>; body: string | undefined };

export const bodyLimitBytes = 1024 * 1024;
const mostRedirects = 5;

/** The built-in `http`: result `{status, headers, body}`. Failures that may pass (network, 429, 5xx) may be retried, others not. */
export async function runHttp(context: TaskContext, guard: OutboundGuard): Promise<unknown> {
  const wanted = readArguments('http', httpWith, context.with);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(wanted.timeout * 1000)]);
  let step = firstStep(wanted);
  for (let redirects = 0; ; redirects++) {
    const { response, text } = await exchange(step, guard, signal, wanted, context.signal);
    const status = response.statusCode ?? 0;
    const location = response.headers.location;
    if (isRedirect(status) && location !== undefined && !isExpected(status, wanted.expect)) {
      if (redirects === mostRedirects)
        throw new TaskFailure(`${wanted.url} redirects more than ${mostRedirects} times.`, false);
      step = nextStep(step, status, location);
      continue;
    }
    if (!isExpected(status, wanted.expect)) {
      const excerpt = text.length > 500 ? `${text.slice(0, 500)}…` : text;
      throw new TaskFailure(
        `${step.method} ${step.url.href} answered ${status}${excerpt ? `: ${excerpt}` : ''}`,
        status === 429 || status >= 500,
      );
    }
    return { status, headers: response.headers, body: readBody(text, response, wanted) };
  }
}

function firstStep(wanted: HttpArguments): Step {
  const hasBody = wanted.json !== undefined || wanted.body !== undefined;
  const headers = Object.fromEntries(
    Object.entries(wanted.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  if (wanted.json !== undefined) headers['content-type'] ??= 'application/json';
  headers['user-agent'] ??= 'faultline';
  return {
    url: parseUrl(wanted.url),
    method: (wanted.method ?? (hasBody ? 'POST' : 'GET')).toUpperCase(),
    headers,
    body: wanted.json === undefined ? wanted.body : JSON.stringify(wanted.json),
  };
}

/** As browsers do: 303, and 301 or 302 after a POST, go on with GET; credentials do not follow to another origin. */
function nextStep(step: Step, status: number, location: string): Step {
  const url = parseUrl(location, step.url);
  const becomesGet = (status === 303 && step.method !== 'HEAD') || (status < 303 && step.method === 'POST');
  const headers = { ...step.headers };
  if (becomesGet) delete headers['content-type'];
  if (url.origin !== step.url.origin) {
    delete headers['authorization'];
    delete headers['cookie'];
  }
  return { url, method: becomesGet ? 'GET' : step.method, headers, body: becomesGet ? undefined : step.body };
}

function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new TaskFailure(`"${text}" is not an http:// or https:// address.`, false);
}

async function exchange(
  step: Step,
  guard: OutboundGuard,
  signal: AbortSignal,
  wanted: HttpArguments,
  taskSignal: AbortSignal,
): Promise<{ response: IncomingMessage; text: string }> {
  try {
    guard.checkHost(step.url.hostname);
    const response = await send(step, guard, signal);
    return { response, text: await readText(response, step.url) };
  } catch (error) {
    if (taskSignal.aborted) throw taskSignal.reason;
    if (error instanceof TaskFailure) throw error;
    if (error instanceof OutboundRefused)
      throw new TaskFailure(`${step.url.href} was not called: ${error.message}`, false);
    if (signal.aborted)
      throw new TaskFailure(`${step.url.href} did not answer within ${wanted.timeout} seconds.`, true);
    throw new TaskFailure(`${step.url.href} cannot be reached: ${reasonOf(error)}`, true);
  }
}

function send(
  { url, method, headers, body }: Step,
  guard: OutboundGuard,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const length = bytes ? { 'content-length': String(bytes.length) } : {};
    // A connection of its own: none that was made for another task, under another check, is used again.
    const outgoing = request(url, {
      method,
      headers: { ...headers, ...length },
      lookup: guard.lookup,
      agent: false,
      signal,
    });
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
    outgoing.end(bytes);
  });
}

async function readText(response: IncomingMessage, url: URL): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimitBytes) {
      response.destroy();
      throw new TaskFailure(`The answer of ${url.href} is larger than ${bodyLimitBytes} bytes.`, false);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function readBody(text: string, response: IncomingMessage, { response: how }: HttpArguments): unknown {
  const isJson = /[/+]json\b/i.test(response.headers['content-type'] ?? '');
  if (how === 'text' || (how === 'auto' && !isJson)) return text;
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    if (how === 'auto') return text;
    throw new TaskFailure('The answer is not JSON.', false);
  }
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

export function isExpected(status: number, expect: HttpArguments['expect']): boolean {
  return [expect].flat().some((one) => {
    if (typeof one === 'number') return one === status;
    const [from, to] = one.split('-').map(Number);
    return status >= from && status <= to;
  });
}

function reasonOf(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  return inner instanceof Error ? inner.message || inner.name : String(inner);
}
