import { type Actor, scopes, systemActor } from './access.ts';
import { createToken, hashSecret, type RandomBytes, tokenPrefix } from './credential.ts';
import type { TokensStore } from './tokens.store.ts';
import type { User, UsersStore } from './users.store.ts';

export const adminName = 'admin';
const environmentTokenName = 'FAULTLINE_ADMIN_TOKEN';

/**
 * On an empty database: the user `admin` and its first token. With FAULTLINE_ADMIN_TOKEN, that token is made valid at every start, so
 * that an operator who lost all others can get in again. Two processes that start at once are harmless.
 */
export async function prepareFirstStart(deps: {
  users: UsersStore;
  tokens: TokensStore;
  randomBytes: RandomBytes;
  adminToken: string | undefined;
}): Promise<{ admin: User | undefined; createdToken: string | undefined }> {
  const { users, tokens, adminToken } = deps;
  const isEmpty = (await users.list()).length === 0;
  if (isEmpty) await users.create({ name: adminName, is_admin: true }, systemActor).catch(ignoreLostRace);
  const admin = await users.findByName(adminName);
  if (!admin) return { admin: undefined, createdToken: undefined };

  const wanted =
    adminToken ?? (isEmpty && (await tokens.list(admin.id)).length === 0 ? createToken(deps.randomBytes) : undefined);
  if (wanted === undefined) return { admin, createdToken: undefined };
  const existing = await tokens.findByPrefix(tokenPrefix(wanted));
  if (adminToken !== undefined) await revokeFormer(tokens, admin, tokenPrefix(wanted));
  if (!existing)
    await addToken(tokens, admin, wanted, adminToken === undefined ? 'first start' : environmentTokenName, systemActor);
  return { admin, createdToken: isEmpty ? wanted : undefined };
}

/** The setting was changed: what it said before no longer opens the door. */
async function revokeFormer(tokens: TokensStore, admin: User, prefix: string): Promise<void> {
  for (const token of await tokens.list(admin.id)) {
    if (token.name === environmentTokenName && token.prefix !== prefix)
      await tokens.delete(admin.id, token.id, systemActor);
  }
}

async function addToken(tokens: TokensStore, admin: User, token: string, name: string, actor: Actor): Promise<void> {
  const row = {
    user_id: admin.id,
    name,
    prefix: tokenPrefix(token),
    hash: hashSecret(token),
    scopes: [...scopes],
    expires_at: null,
  };
  await tokens.create(row, actor).catch(ignoreLostRace);
}

/** Another process did the same a moment earlier. */
function ignoreLostRace(error: unknown): void {
  const isConflict =
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    (error.code === 'conflict' || error.code === '23505');
  if (!isConflict) throw error;
}
