import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifySchemaCompiler,
  LogController,
  type RawServerDefault,
} from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { ZodObject } from 'zod';
import { FaultlineError } from '../errors.ts';
import type { Access } from '../identity/access.ts';
import { registerCompression } from './compression.ts';
import { answerBrokenRequest, answerUnknownExpectation, sendError } from './errors.ts';
import { createMethodIndex } from './method-index.ts';
import { encodeNodePath } from './node-path.ts';
import { createRequestIds } from './request-id.ts';
import { isPathId } from './schemas.ts';
import { securityHeaders } from './security-headers.ts';

/** A server on which routes are validated, typed and documented by zod schemas. */
export type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** One line of the route table, which the tests of authorization are generated from. */
export type RouteEntry = { method: string; url: string; access: Access | undefined };

declare module 'fastify' {
  interface FastifyInstance {
    routes: readonly RouteEntry[];
  }
}

export const bodyLimitBytes = 1024 * 1024;
const headerLimitBytes = 32 * 1024;
// A name of 1,024 characters of four bytes each, percent-encoded, is 12,288 long.
const maxParamLength = 16 * 1024;

/** Everything that holds for every route: ids, limits, headers, the one error shape, compression. */
export function createServer(options: { log: FastifyBaseLogger; trustedProxies: string[]; isSecure: boolean }): Server {
  const nextRequestId = createRequestIds();
  const headers = securityHeaders(options.isSecure);
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    bodyLimit: bodyLimitBytes,
    routerOptions: { maxParamLength, querystringParser: parseQuery },
    // fastify's own type allows an absent url; HTTP does not.
    rewriteUrl: (request) => encodeNodePath(request.url ?? '/'),
    // Lines of the log that are about a request name its id themselves; a logger made for each request costs more than it tells.
    childLoggerFactory: (logger) => logger,
    genReqId: (request) => nextRequestId(request.headers['x-request-id']),
    // Nothing here depends on Host, and node's own refusal of a request without one has no body.
    http: { maxHeaderSize: headerLimitBytes, requireHostHeader: false },
    requestTimeout: 0, // long uploads are legal; a stalled one is ended by `connectionTimeout` below
    connectionTimeout: 120_000,
    keepAliveTimeout: 75_000,
    clientErrorHandler: (error, socket) =>
      answerBrokenRequest(error, socket, { ...headers, 'x-request-id': nextRequestId(undefined) }),
    frameworkErrors: (error, request, reply) => {
      void reply.headers(headers).header('x-request-id', request.id);
      sendError(error, request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();

  // Without a listener node answers an unknown `Expect` itself, with an empty 417.
  app.server.on('checkExpectation', (request, response) => {
    const id = nextRequestId(request.headers['x-request-id']);
    answerUnknownExpectation(response, { ...headers, 'x-request-id': id });
  });
  app.setValidatorCompiler(compileValidator);
  // Answers are typed by their schemas and checked against them in the tests; at run time they are only written.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(sendError);
  acceptOnlyJson(app);
  registerCompression(app);

  hangUpUnusedConnections(app);

  const methods = createMethodIndex();
  const routes: RouteEntry[] = [];
  app.decorate('routes', routes);
  app.addHook('onRoute', (route) => {
    methods.add(route.method, route.url);
    for (const method of [route.method].flat()) routes.push({ method, url: route.url, access: route.config?.access });
  });
  app.setNotFoundHandler((request, reply) => {
    const allowed = methods.allowed(request.url);
    // The method may be right and the thing missing all the same, such as a file of the page.
    if (allowed.length === 0 || allowed.includes(request.method))
      throw new FaultlineError(
        'not_found',
        `There is nothing at ${request.url.split('?')[0].slice(0, 200)}; /docs lists what there is.`,
      );
    void reply.header('allow', allowed.join(', '));
    throw new FaultlineError('method_not_allowed', `${request.method} is not possible here; ${allowed.join(', ')} is.`);
  });

  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headers);
    void reply.header('x-request-id', request.id);
    done();
  });
  return app;
}

/** Path parts are text whatever comes, and ids are compared in small letters; parsing them by their schema would do no more than this. */
function compileValidator(route: Parameters<FastifySchemaCompiler<ZodObject>>[0]) {
  if (route.httpPart !== 'params') return validatorCompiler(route);
  const ids = Object.entries(route.schema.shape).flatMap(([name, part]) => (isPathId(part) ? [name] : []));
  return (params: Record<string, string>) => {
    for (const id of ids) params[id] = params[id].toLowerCase();
    return { value: params };
  };
}

/** Browsers open connections that they may need. Node counts one that was never used as busy, and closing would wait for it for a minute. */
function hangUpUnusedConnections(app: Server): void {
  const unused = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket));
  app.addHook('preClose', (done) => {
    for (const socket of unused) socket.destroy();
    done();
  });
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
  if (text === '') return query; // as on most requests
  for (const [key, value] of /[%+]/.test(text) ? new URLSearchParams(text) : plainPairs(text)) {
    const former = query[key];
    query[key] = former === undefined ? value : [former, value].flat();
  }
  return query;
}

/** What URLSearchParams gives where nothing is encoded, which is most of the time, at a fraction of its cost. */
function plainPairs(text: string): [string, string][] {
  const pairs: [string, string][] = [];
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    pairs.push(equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]);
  }
  return pairs;
}
