import type { IncomingMessage, ServerResponse } from 'node:http';
import cookie from '@fastify/cookie';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController, type RawServerDefault } from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { FaultlineError } from '../errors.ts';
import { registerCompression } from './compression.ts';
import { answerBrokenRequest, sendError } from './errors.ts';
import { createMethodIndex } from './method-index.ts';
import { encodeNodePath } from './node-path.ts';
import { createRequestIds } from './request-id.ts';

/** A server on which routes are validated, typed and documented by zod schemas. */
export type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

export const bodyLimitBytes = 1024 * 1024;
const headerLimitBytes = 32 * 1024;
// A name of 1,024 characters of four bytes each, percent-encoded, is 12,288 long.
const maxParamLength = 16 * 1024;

/** Everything that holds for every route: ids, limits, headers, the one error shape, compression. */
export function createServer(options: { log: FastifyBaseLogger; trustedProxies: string[]; isSecure: boolean }): Server {
  const nextRequestId = createRequestIds();
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    bodyLimit: bodyLimitBytes,
    routerOptions: { maxParamLength, querystringParser: parseQuery },
    // fastify's own type allows an absent url; HTTP does not.
    rewriteUrl: (request) => encodeNodePath(request.url ?? '/'),
    genReqId: (request) => nextRequestId(request.headers['x-request-id']),
    http: { maxHeaderSize: headerLimitBytes },
    requestTimeout: 0, // long uploads are legal; a stalled one is ended by `connectionTimeout` below
    connectionTimeout: 120_000,
    keepAliveTimeout: 75_000,
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, nextRequestId(undefined)),
    frameworkErrors: (error, request, reply) => {
      void reply.header('x-request-id', request.id);
      sendError(error, request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();

  app.setValidatorCompiler(validatorCompiler);
  // Answers are typed by their schemas and checked against them in the tests; at run time they are only written.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(sendError);
  acceptOnlyJson(app);
  void app.register(cookie);
  registerCompression(app);

  const methods = createMethodIndex();
  app.addHook('onRoute', (route) => methods.add(route.method, route.url));
  app.setNotFoundHandler((request, reply) => {
    const allowed = methods.allowed(request.url);
    if (allowed.length === 0)
      throw new FaultlineError(
        'not_found',
        `There is nothing at ${request.url.split('?')[0]}; /docs lists what there is.`,
      );
    void reply.header('allow', allowed.join(', '));
    throw new FaultlineError('method_not_allowed', `${request.method} is not possible here; ${allowed.join(', ')} is.`);
  });

  const headers = securityHeaders(options.isSecure);
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headers);
    void reply.header('x-request-id', request.id);
    done();
  });
  return app;
}

function securityHeaders(isSecure: boolean): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'content-security-policy':
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
    'cache-control': 'no-store',
    ...(isSecure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

/** Only JSON, and an empty body counts as none: many clients send the header with every request. */
function acceptOnlyJson(app: Server): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parseJson(request, body as string, done); // parseAs: 'string'
  });
}

/** A parameter given twice becomes a list, which no schema accepts: better a clear 400 than a silent choice. */
function parseQuery(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [key, value] of new URLSearchParams(text)) {
    const former = query[key];
    query[key] = former === undefined ? value : [former, value].flat();
  }
  return query;
}
