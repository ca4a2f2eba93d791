import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { addressMatcher } from '../config.ts';
import { FaultlineError, forbidden, notFound, tooManyRequests, unauthorized } from '../errors.ts';
import { type Access, type Actor, decide, type Identity } from '../identity/access.ts';
import type { AuthenticationService } from '../identity/authentication.service.ts';
import { csrfTokenOf } from '../identity/credential.ts';
import { readCookie } from './cookies.ts';
import { createRateLimit } from './rate-limit.ts';
import { isUuid } from './schemas.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    identity: Identity | null;
  }
}

export const sessionCookie = 'faultline_session';
const failuresPerMinute = 600;

export type AuthenticationFailures = ReturnType<typeof createAuthenticationFailures>;

/** How often an address may fail in a minute. Past that nothing unknown is even looked up. */
export function createAuthenticationFailures(clock: Clock) {
  const limit = createRateLimit(failuresPerMinute, clock);
  const refuse = (): never => {
    throw tooManyRequests(
      'Too many failed sign-ins from this address; wait a moment and use a valid token.',
      limit.secondsLeft(),
    );
  };
  return {
    count: (address: string): void => void (limit.take(address) || refuse()),
    refuseWhenSpent: (address: string): void => void (limit.isSpent(address) && refuse()),
  };
}

/**
 * Runs before the body is read, on every route: 401, then scope 403, then the team 404 or 403. A route without declared access stops
 * the server from starting.
 */
export function registerAuthentication(
  app: FastifyInstance,
  deps: {
    authentication: AuthenticationService;
    findRemoteUser: (name: string, actor: Actor) => Promise<Identity | undefined>;
    failures: AuthenticationFailures;
    trustedProxies: string[];
    rateLimitPerMinute: number;
    clock: Clock;
  },
): void {
  const { authentication, failures, rateLimitPerMinute } = deps;
  const isTrustedProxy = addressMatcher(deps.trustedProxies);
  const requests = createRateLimit(rateLimitPerMinute, deps.clock);

  /** Undefined: not known yet, or not at all. */
  function recall(request: FastifyRequest): Identity | undefined {
    const token = bearerToken(request.headers.authorization);
    return token === undefined ? undefined : authentication.recallByToken(token);
  }

  async function identify(request: FastifyRequest): Promise<Identity | undefined> {
    const header = request.headers.authorization;
    if (header !== undefined) {
      const token = bearerToken(header);
      if (token === undefined) return undefined;
      if (!authentication.isTokenKnown(token)) failures.refuseWhenSpent(request.ip);
      return authentication.findByToken(token);
    }
    const remoteUser = request.headers['x-remote-user'];
    if (typeof remoteUser === 'string' && remoteUser !== '' && isTrustedProxy(request.socket.remoteAddress ?? '')) {
      refuseForeignSite(request);
      return deps.findRemoteUser(decodeHeader(remoteUser), actorFrom(request, null));
    }
    const session = readCookie(request, sessionCookie);
    if (session === undefined) return undefined;
    if (!authentication.isSessionKnown(session)) failures.refuseWhenSpent(request.ip);
    const identity = await authentication.findBySession(session);
    if (identity) refuseForgery(request, session);
    return identity;
  }

  app.decorateRequest('identity', null);

  app.addHook('onRoute', (route) => {
    if (route.config?.access === undefined) throw new Error(`${String(route.method)} ${route.url} declares no access`);
  });

  // Who is known passes without a single promise: each one costs every request a turn of the microtask queue.
  app.addHook('onRequest', (request, _reply, done) => {
    const access = request.routeOptions.config.access ?? 'open'; // only the not-found handler has none
    if (access === 'open') {
      done();
      return;
    }
    const known = recall(request);
    const pending = known
      ? admit(request, known, access)
      : identify(request).then((identity) => admit(request, identity ?? refuseUnknown(request), access));
    if (pending === undefined) done();
    else pending.then(() => done(), done);
  });

  function refuseUnknown(request: FastifyRequest): never {
    failures.count(request.ip);
    throw unauthorized('This needs a valid token: send "Authorization: Bearer <token>", or sign in on the page.');
  }

  /** Throws, or rejects, with the first reason to refuse. A promise only if the team has to be looked up. */
  function admit(
    request: FastifyRequest,
    identity: Identity,
    access: Exclude<Access, 'open'>,
  ): Promise<void> | undefined {
    request.identity = identity;
    if (rateLimitPerMinute > 0 && !requests.take(identity.tokenId ?? identity.userId)) {
      throw tooManyRequests(
        `This token may send ${rateLimitPerMinute} requests a minute; wait a moment.`,
        requests.secondsLeft(),
      );
    }
    const scopeDecision = decide(identity, { scope: access.scope }, undefined);
    if (scopeDecision !== 'allowed') {
      throw forbidden(
        access.scope === 'Admin'
          ? 'This needs an administrator and a token with the scope Admin.'
          : `This needs a token with the scope ${access.scope}.`,
      );
    }
    if (access.team === undefined) return undefined;
    const { team_id: teamId } = request.params as { team_id: string }; // every team route has it in its path
    const id = teamId.toLowerCase();
    const admitToTeam = (team: unknown): void => {
      if (!team) throw notFound('There is no such team; GET /v1/teams lists yours.');
      if (decide(identity, access, id) !== 'allowed')
        throw forbidden(`This needs the role ${access.team} in the team.`);
    };
    const team = isUuid(id) ? authentication.recallTeam(id) : undefined;
    if (team || !isUuid(id)) {
      admitToTeam(team);
      return undefined;
    }
    return authentication.findTeam(id).then(admitToTeam);
  }
}

const bearerToken = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];

export function identityOf(request: FastifyRequest): Identity {
  if (!request.identity) throw new FaultlineError('internal', 'An open route asked for an identity.');
  return request.identity;
}

export const actorOf = (request: FastifyRequest): Actor => actorFrom(request, identityOf(request));

function actorFrom(request: FastifyRequest, identity: Identity | null): Actor {
  return {
    userId: identity?.userId ?? null,
    userName: identity?.userName ?? 'nobody',
    address: request.ip,
    requestId: request.id,
  };
}

/** Node hands out header bytes one by one as characters; proxies write names in UTF-8. */
function decodeHeader(value: string): string {
  const decoded = Buffer.from(value, 'latin1').toString('utf8');
  return decoded.includes('\ufffd') ? value : decoded;
}

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

/** A cookie is sent by the browser whatever site asks; the header can only be set by a page that may read our answers. */
function refuseForgery(request: FastifyRequest, session: string): void {
  if (isSafe(request.method)) return;
  if (request.headers['x-csrf-token'] !== csrfTokenOf(session)) {
    throw forbidden('A change by cookie needs the header X-CSRF-Token; GET /v1/session tells its value.');
  }
}

/** Behind a proxy that signs people in there is no secret of ours in the page, but browsers say which site asks. */
function refuseForeignSite(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  if (!isSafe(request.method) && site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw forbidden('Another site tried to make a change in your name; it was refused.');
  }
}
