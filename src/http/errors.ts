import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseAway } from '../db/errors.ts';
import { type ErrorCode, type ErrorDetail, FaultlineError } from '../errors.ts';

const statusOf: Record<ErrorCode, number> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  internal: 500,
  unavailable: 503,
};

/** The one place where an error becomes a status and a body. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = error instanceof FaultlineError ? error : translate(error as FastifyError); // fastify types what it hands over
  const status = statusOf[known.code];
  if (status === 500) request.log.error({ err: error, requestId: request.id }, 'request failed');
  else if (status === 503) request.log.warn({ err: error, requestId: request.id }, 'request could not be served now');
  if (status === 401) void reply.header('www-authenticate', 'Bearer');
  if (known.retryAfterSeconds !== undefined) void reply.header('retry-after', known.retryAfterSeconds);
  void reply.code(status).type('application/json; charset=utf-8').serializer(String).send(bodyOf(known));
}

const bodyOf = (error: FaultlineError): string =>
  JSON.stringify({ error: error.code, message: error.message, ...(error.details ? { details: error.details } : {}) });

type ZodIssueOfFastify = { instancePath: string; message?: string };

function translate(error: FastifyError): FaultlineError {
  if (error.validation) return new FaultlineError('bad_request', ...describeValidation(error));
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new FaultlineError(
        'payload_too_large',
        'The request body is larger than this route accepts; send it in smaller parts.',
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new FaultlineError(
        'unsupported_media_type',
        'This route does not accept that Content-Type; send application/json.',
      );
    case 'FST_ERR_BAD_URL':
      return new FaultlineError(
        'bad_request',
        'The address has a malformed percent-escape; encode "%" itself as "%25".',
      );
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new FaultlineError('not_found', 'A part of the address is longer than any name can be.');
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new FaultlineError('bad_request', 'The request body is not valid JSON.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new FaultlineError('bad_request', 'The body is not as long as Content-Length says.');
    default:
  }
  if (error instanceof SyntaxError && error.statusCode === 400)
    return new FaultlineError('bad_request', 'The request body is not valid JSON.');
  if (isDatabaseAway(error)) {
    return new FaultlineError('unavailable', 'The database cannot be reached at the moment; try again shortly.', {
      retryAfterSeconds: 1,
    });
  }
  const status = error.statusCode ?? 500;
  if (status === 404) return new FaultlineError('not_found', 'There is nothing at this address.');
  if (status === 413) return new FaultlineError('payload_too_large', error.message);
  if (status >= 400 && status < 500)
    return new FaultlineError('bad_request', `${error.message}.`.replace(/\.\.$/, '.'));
  return new FaultlineError(
    'internal',
    'Something went wrong on our side; the log has more under the id in X-Request-Id.',
  );
}

function describeValidation(error: FastifyError): [string, { details: ErrorDetail[] }] {
  const issues = (error.validation ?? []) as ZodIssueOfFastify[]; // the shape that the zod compiler produces
  const details = issues.map((issue) => ({
    path: issue.instancePath.replace(/^\//, '').replaceAll('/', '.'),
    message: issue.message ?? 'is not valid',
  }));
  const where =
    error.validationContext === 'querystring'
      ? 'parameter'
      : error.validationContext === 'params'
        ? 'path part'
        : 'field';
  const [first] = details;
  const subject = first === undefined || first.path === '' ? 'The request body' : `The ${where} "${first.path}"`;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  return [`${subject} is not acceptable: ${first?.message ?? 'it does not fit'}${more}.`, { details }];
}

/** Bytes that never became a request: too large headers, garbage, a client that is too slow. */
export function answerBrokenRequest(
  error: Error & { code?: string },
  socket: Socket,
  headers: Record<string, string>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'The request line and headers are larger than 32 KiB; shorten them.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'The request did not arrive in time; send it again.']
        : [400, 'The request is not valid HTTP.'];
  const body = JSON.stringify({ error: 'bad_request', message });
  const lines = Object.entries({ ...headers, ...headersOf(body) }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

/** An `Expect` header with anything but 100-continue. */
export function answerUnknownExpectation(response: ServerResponse, headers: Record<string, string>): void {
  const message = 'This Expect header cannot be met; leave it out.';
  const body = JSON.stringify({ error: 'bad_request', message });
  response.writeHead(417, { ...headers, ...headersOf(body) }).end(body);
}

const headersOf = (body: string): Record<string, string> => ({
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(body)),
  connection: 'close',
});
