import { hash } from 'node:crypto';
import * as openid from 'openid-client';
import type { OidcConfig } from '../config.ts';
import { conflict, FaultlineError, unauthorized, unavailable } from '../errors.ts';
import { type Actor, systemActor } from './access.ts';
import type { User, UsersStore } from './users.store.ts';

/** What the browser keeps between leaving for the provider and coming back. */
export type OidcAttempt = { state: string; nonce: string; verifier: string; returnTo: string };

export type OidcService = ReturnType<typeof createOidcService>;

/** Sign-in through an OpenID Connect provider: authorization code flow with PKCE, state and nonce. */
export function createOidcService(deps: { settings: OidcConfig; redirectUri: string; users: UsersStore }) {
  const { settings, redirectUri, users } = deps;
  let provider: Promise<openid.Configuration> | undefined;

  /** Asked when first needed, so that a provider that is down does not keep the service from starting. */
  async function discover(): Promise<openid.Configuration> {
    const issuer = new URL(settings.issuer);
    const execute = issuer.protocol === 'http:' ? [openid.allowInsecureRequests] : [];
    provider ??= openid.discovery(issuer, settings.clientId, settings.clientSecret, undefined, {
      execute,
      timeout: 10,
    });
    try {
      return await provider;
    } catch (error) {
      provider = undefined;
      throw unreachable(error);
    }
  }

  const unreachable = (error: unknown) =>
    unavailable(
      `The sign-in provider ${settings.issuer} cannot be reached; try again, or sign in with a token. (${messageOf(error)})`,
    );

  return {
    async begin(returnTo: string): Promise<{ url: string; attempt: OidcAttempt }> {
      const configuration = await discover();
      const attempt = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
        returnTo,
      };
      const url = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        state: attempt.state,
        nonce: attempt.nonce,
      });
      return { url: url.href, attempt };
    },

    /** The user whom the provider vouches for; made when seen for the first time. */
    async finish(
      callbackQuery: string,
      attempt: OidcAttempt,
      from: Pick<Actor, 'address' | 'requestId'>,
    ): Promise<User> {
      const configuration = await discover();
      const checks = {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.verifier,
        idTokenExpected: true,
      };
      const tokens = await openid
        .authorizationCodeGrant(configuration, new URL(`${redirectUri}?${callbackQuery}`), checks)
        .catch((error: unknown) => {
          if (isProviderAway(error)) throw unreachable(error);
          throw unauthorized(
            `The sign-in provider did not confirm you (${messageOf(error)}); start again at /auth/oidc/login.`,
          );
        });
      const claims = tokens.claims();
      if (!claims) throw unauthorized('The sign-in provider sent no identity; start again at /auth/oidc/login.');
      const subject = `${claims.iss} ${claims.sub}`;
      const user =
        (await users.findBySubject(subject)) ??
        (await createUser(users, subject, nameFrom(claims), { ...systemActor, ...from }));
      if (user.is_disabled) throw unauthorized('This user is disabled; ask an administrator.');
      return user;
    },
  };
}

/**
 * A local user who happens to have the same name is somebody else: whoever controls names at the provider must not become `admin`
 * here. So a taken name gets the provider's host behind it, and, as names there need not be unique either, a part of the subject's hash.
 */
async function createUser(users: UsersStore, subject: string, name: string, actor: Actor): Promise<User> {
  const withHost = `${name}@${new URL(subject.split(' ')[0]).host}`;
  const candidates = [name, withHost, `${withHost} ${hash('sha256', subject, 'hex').slice(0, 12)}`];
  for (const candidate of candidates) {
    try {
      return await users.create({ name: candidate, oidc_subject: subject }, actor);
    } catch (error) {
      if (!(error instanceof FaultlineError && error.code === 'conflict')) throw error;
      // Either the name is taken, or the same person is signing in twice at this moment.
      const same = await users.findBySubject(subject);
      if (same) return same;
    }
  }
  throw conflict('Your name is taken here by somebody else; ask an administrator.');
}

/** The first claim that can serve as a name: one line, not endless. */
function nameFrom(claims: openid.IDToken): string {
  const names = [claims.preferred_username, claims.email, claims.name, claims.sub]
    .filter((claim) => typeof claim === 'string')
    .map((claim) =>
      [
        ...claim
          .toWellFormed()
          .replace(/\p{Cc}/gu, '')
          .trim(),
      ]
        .slice(0, 150)
        .join(''),
    );
  return names.find((name) => name !== '') ?? 'somebody';
}

/** No answer, or one that is the provider's own fault; `fetch` reports the former as TypeError. */
function isProviderAway(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  if (!(error instanceof Error)) return false;
  const isTimeout = 'code' in error && error.code === 'OAUTH_TIMEOUT';
  const answer = error.cause instanceof Response ? error.cause : undefined;
  return isTimeout || (answer !== undefined && answer.status >= 500);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
