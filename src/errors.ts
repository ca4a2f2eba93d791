/** The closed list of things that go wrong for a client. One handler in `http/` maps each to its status. */
export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'internal'
  | 'unavailable';

export type ErrorDetail = { path: string; message: string };

/** An error a client can act on. `message` is one sentence that says what happened and what to do. */
export class FaultlineError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  /** Seconds after which trying again makes sense; sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, extra: { details?: ErrorDetail[]; retryAfterSeconds?: number } = {}) {
    super(message);
    this.name = 'FaultlineError';
    this.code = code;
    this.details = extra.details;
    this.retryAfterSeconds = extra.retryAfterSeconds;
  }
}

export const badRequest = (message: string, details?: ErrorDetail[]) =>
  new FaultlineError('bad_request', message, { details });
export const unauthorized = (message: string) => new FaultlineError('unauthorized', message);
export const forbidden = (message: string) => new FaultlineError('forbidden', message);
export const notFound = (message: string) => new FaultlineError('not_found', message);
export const conflict = (message: string) => new FaultlineError('conflict', message);
export const unsupportedMediaType = (message: string) => new FaultlineError('unsupported_media_type', message);
export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  new FaultlineError('too_many_requests', message, { retryAfterSeconds });
export const unavailable = (message: string) => new FaultlineError('unavailable', message);

/** The process cannot start or a command cannot run as asked: printed as one sentence, without a stack, exit code 2. */
export class StartupError extends Error {
  override name = 'StartupError';
}
