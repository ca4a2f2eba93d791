import * as openid from 'openid-client';
import type { OidcConfig } from '../config.ts';
import { unauthorized, unavailable } from '../errors.ts';
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
      throw unavailable(
        `The sign-in provider ${settings.issuer} cannot be reached; try again, or sign in with a token. (${messageOf(error)})`,
      );
    }
  }

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
 * here. So a taken name gets the provider's host behind it.
 */
async function createUser(users: UsersStore, subject: string, name: string, actor: Actor): Promise<User> {
  const host = new URL(subject.split(' ')[0]).host;
  const taken = await users.findByName(name);
  return users.create({ name: taken ? `${name}@${host}` : name, oidc_subject: subject }, actor);
}

function nameFrom(claims: openid.IDToken): string {
  const candidates = [claims.preferred_username, claims.email, claims.name, claims.sub];
  const name = candidates
    .filter((candidate) => typeof candidate === 'string')
    .find((candidate) => candidate.trim() !== '');
  return (name ?? claims.sub).replace(/\p{Cc}/gu, '').slice(0, 200);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
