import type { Clock } from '../clock.ts';
import { badRequest, forbidden, notFound } from '../errors.ts';
import type { Actor, Identity, Scope } from './access.ts';
import { createToken, hashSecret, type RandomBytes, tokenPrefix } from './credential.ts';
import type { Token, TokensStore } from './tokens.store.ts';
import type { UsersService } from './users.service.ts';

export type TokensService = ReturnType<typeof createTokensService>;
export type TokenRequest = { name: string; scopes: Scope[]; expires_at?: Date | null };

export function createTokensService(deps: {
  store: TokensStore;
  users: Pick<UsersService, 'get'>;
  authentication: { forget(): void };
  clock: Clock;
  randomBytes: RandomBytes;
}) {
  const { store, users, authentication } = deps;
  return {
    async list(userId: string): Promise<Token[]> {
      await users.get(userId);
      return store.list(userId);
    },

    /** The token itself is in this answer and nowhere else, ever. */
    async create(
      userId: string,
      request: TokenRequest,
      issuer: Identity,
      actor: Actor,
    ): Promise<Token & { token: string }> {
      const expiresAt = request.expires_at ?? issuer.tokenExpiresAt;
      refuseWider(request.scopes, expiresAt, issuer);
      if (expiresAt !== null && expiresAt.getTime() <= deps.clock()) {
        throw badRequest('"expires_at" lies in the past; choose a later time.', [
          { path: 'expires_at', message: 'lies in the past' },
        ]);
      }
      await users.get(userId);
      const token = createToken(deps.randomBytes);
      const row = {
        user_id: userId,
        name: request.name,
        prefix: tokenPrefix(token),
        hash: hashSecret(token),
        scopes: request.scopes,
        expires_at: expiresAt,
      };
      return { ...(await store.create(row, actor)), token };
    },

    async revoke(userId: string, tokenId: string, actor: Actor): Promise<void> {
      if (!(await store.delete(userId, tokenId, actor)))
        throw notFound('There is no such token; the list of tokens shows their ids.');
      authentication.forget();
    },
  };
}

/** No token makes one that may do more, or for longer, than itself. */
function refuseWider(scopes: Scope[], expiresAt: Date | null, issuer: Identity): void {
  const missing = scopes.filter((scope) => !issuer.scopes.includes(scope));
  if (missing.length > 0)
    throw forbidden(
      `The credential of this request lacks ${missing.join(' and ')}, so it cannot give that to a token.`,
    );
  if (issuer.tokenExpiresAt !== null && (expiresAt === null || expiresAt > issuer.tokenExpiresAt)) {
    throw forbidden(
      `The credential of this request ends at ${issuer.tokenExpiresAt.toISOString()}, so a token made with it cannot last longer.`,
    );
  }
}
