import { z } from 'zod';
import type { ClientConfig } from '../client-config.ts';
import { type ErrorDetail, StartupError } from '../errors.ts';
import { errorBody } from '../http/schemas.ts';

const patienceMs = 60_000;

/** The server answered, and the answer was no. */
export class ServerRefusal extends Error {
  override name = 'ServerRefusal';
  readonly details: ErrorDetail[];

  constructor(message: string, details: ErrorDetail[] = []) {
    super(message);
    this.details = details;
  }
}

/** What the server said: checked, and as it was, for `--json`. */
export type Answer<T> = { value: T; json: unknown; headers: Headers };

export type Client = ReturnType<typeof createClient>;

export function createClient(config: ClientConfig) {
  async function call<T>(
    method: string,
    path: string,
    schema: z.ZodType<T>,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const kind = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { ...authorize(config), ...kind, ...more };
    const options = { method, headers, redirect: 'manual', signal: AbortSignal.timeout(patienceMs) } as const;
    const text = body === undefined ? undefined : JSON.stringify(body);
    try {
      const response = await fetch(`${config.url}${path}`, { ...options, body: text });
      return readAnswer(config, response, await response.text(), schema);
    } catch (error) {
      throw error instanceof TypeError || isTimeout(error) ? unreachable(config.url, error) : error;
    }
  }
  return {
    url: config.url,
    get: <T>(path: string, schema: z.ZodType<T>) => call('GET', path, schema),
    post: <T>(path: string, schema: z.ZodType<T>, body: unknown, headers?: Record<string, string>) =>
      call('POST', path, schema, body, headers),
    patch: <T>(path: string, schema: z.ZodType<T>, body: unknown) => call('PATCH', path, schema, body),
    put: <T>(path: string, schema: z.ZodType<T>, body: unknown) => call('PUT', path, schema, body),
    delete: (path: string) => call('DELETE', path, z.object({})),
  };
}

export function authorize({ url, token }: ClientConfig): { authorization: string } {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  throw new StartupError(
    `There is no token for ${url}. Run "faultline login --url ${url}", set FAULTLINE_TOKEN, or give --token.`,
  );
}

export function unreachable(url: string, error: unknown): StartupError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const reason = isTimeout(error) ? `no answer within ${patienceMs / 1000} seconds` : reasonOf(cause);
  return new StartupError(
    `The server at ${url} cannot be reached (${reason}). Start it with "faultline serve", or name another with --url or FAULTLINE_URL.`,
    { cause: error },
  );
}

function readAnswer<T>(
  config: ClientConfig,
  response: Pick<Response, 'status' | 'headers'>,
  text: string,
  schema: z.ZodType<T>,
): Answer<T> {
  if (response.status >= 300) throw refusalOf(config, response.status, response.headers.get('location'), text);
  const json = parseJson(text);
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw notFaultline(config.url, response.status);
  return { value: parsed.data, json, headers: response.headers };
}

/** What a status of 300 and more means to the person at the terminal. */
export function refusalOf(config: ClientConfig, status: number, location: string | null, text: string): Error {
  if (status < 400) {
    return new ServerRefusal(
      `${config.url} sends us on to ${location ?? 'another address'}; give that one with --url.`,
    );
  }
  const parsed = errorBody.safeParse(parseJson(text));
  if (!parsed.success) return notFaultline(config.url, status);
  const { message, details } = parsed.data;
  const hint = status === 401 ? ` The token from ${config.tokenSource} was refused by ${config.url}.` : '';
  // The first detail is often all there is, and then the message has said it.
  return new ServerRefusal(`${message}${hint}`, details?.length === 1 ? [] : details);
}

const notFaultline = (url: string, status: number) =>
  new ServerRefusal(`What answers at ${url} does not speak like a Faultline of this version (HTTP ${status}).`);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

export function reasonOf(cause: unknown): string {
  // Trying several addresses of one name gives an AggregateError without a message.
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  if (inner instanceof Error && 'code' in inner && typeof inner.code === 'string') return inner.code;
  return inner instanceof Error ? inner.message : String(inner);
}
