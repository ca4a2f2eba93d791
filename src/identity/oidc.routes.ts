import { z } from 'zod';
import { unauthorized } from '../errors.ts';
import { clearCookie, readCookie, setCookie } from '../http/cookies.ts';
import type { Server } from '../http/server.ts';
import type { OidcAttempt, OidcService } from './oidc.service.ts';
import { setSessionCookie, whereFrom } from './session.routes.ts';
import type { SessionsService } from './sessions.service.ts';

const attemptCookie = 'faultline_sign_in';
const attemptSeconds = 600;

export function registerOidcRoutes(
  app: Server,
  deps: { oidc: OidcService | undefined; sessions: SessionsService; isSecure: boolean },
): void {
  const { oidc, sessions, isSecure } = deps;
  const tags = ['Session'];

  const methods = z.object({
    token: z.literal(true),
    oidc: z
      .string()
      .nullable()
      .meta({ description: 'Where to send the browser, if the operator has set up a provider' }),
  });
  app.get('/auth/methods', {
    config: { access: 'open' },
    schema: { tags, summary: 'The ways to sign in', response: { 200: methods } },
    handler: (_request, reply) => void reply.send({ token: true, oidc: oidc ? '/auth/oidc/login' : null }),
  });

  if (!oidc) return;
  const cookie = { path: '/auth/oidc', isSecure };

  app.get('/auth/oidc/login', {
    config: { access: 'open' },
    schema: {
      tags,
      summary: 'Go to the sign-in provider',
      querystring: z.object({ return_to: z.string().optional() }),
      response: { 302: z.null().meta({ description: 'To the provider' }) },
    },
    handler: async (request, reply) => {
      const { url, attempt } = await oidc.begin(ownPath(request.query.return_to));
      const kept = Buffer.from(JSON.stringify(attempt)).toString('base64url');
      setCookie(reply, attemptCookie, kept, { ...cookie, maxAgeSeconds: attemptSeconds });
      return reply.redirect(url, 302);
    },
  });

  app.get('/auth/oidc/callback', {
    config: { access: 'open' },
    schema: {
      tags,
      summary: 'Come back from the sign-in provider',
      response: { 302: z.null().meta({ description: 'To the page' }) },
    },
    handler: async (request, reply) => {
      const attempt = readAttempt(readCookie(request, attemptCookie));
      if (!attempt)
        throw unauthorized('This sign-in was not started here or took too long; start again at /auth/oidc/login.');
      clearCookie(reply, attemptCookie, cookie);
      const user = await oidc.finish(request.url.split('?')[1] ?? '', attempt, whereFrom(request));
      setSessionCookie(reply, await sessions.openForUser(user, whereFrom(request)), isSecure);
      return reply.redirect(attempt.returnTo, 302);
    },
  });
}

/** Only a path on this site: `//evil.example` and `/\evil.example` are other sites to a browser. */
const ownPath = (path: string | undefined): string =>
  path !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/';

const attemptShape = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string().transform(ownPath),
});

function readAttempt(cookieValue: string | undefined): OidcAttempt | undefined {
  if (cookieValue === undefined) return undefined;
  try {
    return attemptShape.parse(JSON.parse(Buffer.from(cookieValue, 'base64url').toString()));
  } catch {
    return undefined;
  }
}
