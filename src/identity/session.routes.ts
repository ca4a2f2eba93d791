import type { FastifyReply, FastifyRequest } from 'fastify';
import { unauthorized } from '../errors.ts';
import { type AuthenticationFailures, actorOf, identityOf, sessionCookie } from '../http/authentication.ts';
import { clearCookie, readCookie, setCookie } from '../http/cookies.ts';
import { emptyObject } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { Identity } from './access.ts';
import { csrfTokenOf } from './credential.ts';
import { session, sessionInput } from './identity.schemas.ts';
import type { NewSession, SessionsService } from './sessions.service.ts';

export function registerSessionRoutes(
  app: Server,
  deps: { sessions: SessionsService; failures: AuthenticationFailures; isSecure: boolean },
): void {
  const { sessions, failures, isSecure } = deps;
  const tags = ['Session'];

  app.post('/v1/session', {
    config: { access: 'open' },
    schema: {
      tags,
      summary: 'Sign in with a token; sets the session cookie',
      body: sessionInput,
      response: { 201: session },
    },
    handler: async (request, reply) => {
      failures.refuseWhenSpent(request.ip);
      const created = await sessions.openWithToken(request.body.token, whereFrom(request));
      const identity = created && (await sessions.find(created.secret));
      if (!identity) {
        failures.count(request.ip);
        throw unauthorized('That token is not valid: it was mistyped, revoked or has expired.');
      }
      setSessionCookie(reply, created, isSecure);
      return reply.code(201).send(toSession(identity, created.secret));
    },
  });

  app.get('/v1/session', {
    config: { access: { scope: 'Read' } },
    schema: { tags, summary: 'Who is signed in, and the value for X-CSRF-Token', response: { 200: session } },
    handler: async (request) => {
      const secret = request.headers.authorization === undefined ? readCookie(request, sessionCookie) : undefined;
      return toSession(identityOf(request), secret);
    },
  });

  app.delete('/v1/session', {
    config: { access: { scope: 'Read' } },
    schema: { tags, summary: 'Sign out', response: { 200: emptyObject } },
    handler: async (request, reply) => {
      const secret = readCookie(request, sessionCookie);
      if (secret !== undefined) await sessions.close(secret, actorOf(request));
      clearCookie(reply, sessionCookie, { path: '/', isSecure });
      return {};
    },
  });
}

export const whereFrom = (request: FastifyRequest) => ({ address: request.ip, requestId: request.id });

export function setSessionCookie(reply: FastifyReply, created: NewSession, isSecure: boolean): void {
  // Changes need X-CSRF-Token besides.
  setCookie(reply, sessionCookie, created.secret, { path: '/', isSecure, expires: created.expiresAt });
}

function toSession(identity: Identity, secret: string | undefined) {
  return {
    user: { id: identity.userId, name: identity.userName, admin: identity.isAdmin },
    csrf_token: secret === undefined ? null : csrfTokenOf(secret),
    expires_at: identity.expiresAt?.toISOString() ?? null,
  };
}
