/** Everything the page asks of the service goes through here. */

export type ErrorDetail = { path: string; message: string };

/** What the service answers when it refuses, or what stands for it when there is no answer at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: ErrorDetail[];
  readonly requestId: string | null;

  constructor(
    status: number,
    code: string,
    message: string,
    details: ErrorDetail[] = [],
    requestId: string | null = null,
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
  }
}

export type Answer<T> = { body: T; headers: Headers };
type Options = { body?: unknown; headers?: Record<string, string>; signal?: AbortSignal | undefined };

/** Changes by cookie must show that they come from a page that may read our answers; `GET /v1/session` tells this value. */
let csrfToken: string | null = null;
export const setCsrfToken = (token: string | null): void => void (csrfToken = token);

/** Called whenever an answer says that nobody is signed in any more. */
let onSignedOut: () => void = () => undefined;
export const whenSignedOut = (listener: () => void): void => void (onSignedOut = listener);

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** The raw response, already known to be good. For text and streams; JSON is read by `api`. */
export async function send(method: string, path: string, options: Options = {}): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
  if (options.body !== undefined) headers['content-type'] ??= 'application/json';
  if (!isSafe(method) && csrfToken !== null) headers['x-csrf-token'] = csrfToken;
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      signal: options.signal ?? null,
      ...(options.body === undefined
        ? {}
        : { body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body) }),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(0, 'unreachable', 'The service does not answer. Check the connection, then try again.');
  }
  if (response.ok) return response;
  const refusal = await readRefusal(response);
  if (refusal.status === 401 && path !== '/v1/session') onSignedOut();
  throw refusal;
}

async function request<T>(method: string, path: string, options: Options = {}): Promise<Answer<T>> {
  const response = await send(method, path, options);
  const text = await response.text();
  // The service checks its answers against the schemas these types come from; here they are only read.
  return { body: (text === '' ? undefined : JSON.parse(text)) as T, headers: response.headers };
}

export const api = {
  get: async <T>(path: string, signal?: AbortSignal): Promise<T> => (await request<T>('GET', path, { signal })).body,
  /** With the headers, where those tell the total or the next page. */
  getWhole: <T>(path: string, signal?: AbortSignal): Promise<Answer<T>> => request<T>('GET', path, { signal }),
  post: async <T>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> =>
    (await request<T>('POST', path, { body, headers })).body,
  put: async <T>(path: string, body?: unknown): Promise<T> => (await request<T>('PUT', path, { body })).body,
  patch: async <T>(path: string, body?: unknown): Promise<T> => (await request<T>('PATCH', path, { body })).body,
  delete: async <T>(path: string): Promise<T> => (await request<T>('DELETE', path)).body,
};

async function readRefusal(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('x-request-id');
  const body: unknown = await response.json().catch(() => null);
  const { error, message, details } = (body ?? {}) as { error?: string; message?: string; details?: ErrorDetail[] }; // the one shape of errors
  return new ApiError(
    response.status,
    error ?? 'unknown',
    message ?? `The service answered ${response.status} without a reason.`,
    details ?? [],
    requestId,
  );
}

/** `/path?a=1&b=2`; what is undefined, null or empty is left out. */
export function withQuery(path: string, query: Record<string, string | number | boolean | null | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') parameters.set(key, String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}
