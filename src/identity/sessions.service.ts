import type { Clock } from '../clock.ts';
import type { Actor, Identity, Scope } from './access.ts';
import { scopes } from './access.ts';
import type { AuthenticationService } from './authentication.service.ts';
import { createSessionSecret, hashSecret, isSameHash, type RandomBytes } from './credential.ts';
import type { SessionsStore } from './sessions.store.ts';
import type { User } from './users.store.ts';

export type SessionsService = ReturnType<typeof createSessionsService>;
export type NewSession = { secret: string; expiresAt: Date };

export const sessionSeconds = 7 * 24 * 3600;

export function createSessionsService(deps: {
  store: SessionsStore;
  authentication: AuthenticationService;
  clock: Clock;
  randomBytes: RandomBytes;
}) {
  const { store, authentication, clock } = deps;
  let signInCode: { hash: Buffer; user: User } | undefined;

  async function open(
    userId: string,
    tokenId: string | null,
    granted: readonly Scope[],
    until: Date | null,
    actor: Actor,
  ): Promise<NewSession> {
    const secret = createSessionSecret(deps.randomBytes);
    const latest = clock() + sessionSeconds * 1000;
    const expiresAt = new Date(Math.min(latest, until?.getTime() ?? latest));
    const row = {
      user_id: userId,
      token_id: tokenId,
      hash: hashSecret(secret),
      scopes: [...granted],
      expires_at: expiresAt,
    };
    await store.create(row, actor, new Date(clock()));
    return { secret, expiresAt };
  }

  return {
    /** A session for whoever holds this token (or the code of the printed link); it can do what the token can, and dies with it. Undefined if it proves nothing. */
    async openWithToken(token: string, from: Pick<Actor, 'address' | 'requestId'>): Promise<NewSession | undefined> {
      if (signInCode && isSameHash(signInCode.hash, hashSecret(token))) {
        const { user } = signInCode;
        return open(user.id, null, scopes, null, { ...from, userId: user.id, userName: user.name });
      }
      const identity = await authentication.findByToken(token);
      if (!identity) return undefined;
      const actor = { ...from, userId: identity.userId, userName: identity.userName };
      return open(identity.userId, identity.tokenId ?? null, identity.scopes, identity.expiresAt, actor);
    },

    /** A session for somebody whom another authority has identified. */
    openForUser(user: User, from: Pick<Actor, 'address' | 'requestId'>): Promise<NewSession> {
      const granted: Scope[] = user.is_admin ? [...scopes] : ['Read', 'Write'];
      return open(user.id, null, granted, null, { ...from, userId: user.id, userName: user.name });
    },

    async close(secret: string, actor: Actor): Promise<void> {
      await store.delete(hashSecret(secret), actor);
      authentication.forget();
    },

    find: (secret: string): Promise<Identity | undefined> => authentication.findBySession(secret),

    /** A code for the link that is printed at start: it signs in as `user`, lives in memory only and ends with the process. */
    createSignInCode(user: User): string {
      const code = createSessionSecret(deps.randomBytes);
      signInCode = { hash: hashSecret(code), user };
      return code;
    },
  };
}
