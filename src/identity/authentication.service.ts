import type { Clock } from '../clock.ts';
import { createRevisionCache, type Revisions } from '../revision-cache.ts';
import type { Identity } from './access.ts';
import type { AuthenticationStore, Proof } from './authentication.store.ts';
import { hashSecret, isSameHash, sessionKey, tokenKey, tokenPrefix } from './credential.ts';
import type { Team, TeamsStore } from './teams.store.ts';
import type { TokensStore } from './tokens.store.ts';

export type AuthenticationService = ReturnType<typeof createAuthenticationService>;

const cacheLimit = 50_000;
const lastUsedResolutionMs = 60_000;

const workerIdentity: Identity = {
  userId: '00000000-0000-0000-0000-000000000000',
  userName: 'worker',
  userCreatedAt: new Date(0),
  userUpdatedAt: new Date(0),
  isAdmin: false,
  scopes: ['Service'],
  grants: new Map(),
  tokenId: undefined,
  expiresAt: null,
  tokenExpiresAt: null,
};

/**
 * Turns credentials into identities without a query per request.
 *
 * What was proved once is remembered until the revision `identity` changes. Every change of users, tokens, sessions, teams or
 * grants that takes something away raises that revision in its own transaction, and no process believes a revision that it read
 * more than a second ago: so a revoked token dies at once here (`forget`) and within a second everywhere else.
 */
export function createAuthenticationService(deps: {
  store: AuthenticationStore;
  teams: Pick<TeamsStore, 'find'>;
  tokens: Pick<TokensStore, 'recordUse'>;
  revisions: Revisions;
  clock: Clock;
}) {
  const proofs = createRevisionCache<Proof>({ topic: 'identity', revisions: deps.revisions, limit: cacheLimit });
  const teams = createRevisionCache<Team>({ topic: 'identity', revisions: deps.revisions, limit: cacheLimit });
  let uses = new Map<string, Date>();
  const lastRecorded = new Map<string, number>();

  let own: { hash: Buffer; identity: Identity }[] = [];

  /** What this process calls itself with, such as the worker that it forked: lives as long as the process, and is written nowhere. */
  function findOwn(token: string): Identity | undefined {
    if (own.length === 0) return undefined;
    const given = hashSecret(token);
    return own.find(({ hash }) => isSameHash(hash, given))?.identity;
  }

  function accept(proof: Proof | undefined): Identity | undefined {
    if (!proof) return undefined;
    const now = deps.clock();
    const { identity } = proof;
    if (identity.expiresAt !== null && identity.expiresAt.getTime() <= now) return undefined;
    if (identity.tokenId !== undefined && now - (lastRecorded.get(identity.tokenId) ?? 0) >= lastUsedResolutionMs) {
      lastRecorded.set(identity.tokenId, now);
      uses.set(identity.tokenId, new Date(now));
    }
    return identity;
  }

  return {
    /** The path of almost every request: what was proved before and still holds, without a promise. */
    recallByToken: (token: string): Identity | undefined => accept(proofs.recall(tokenKey(token))) ?? findOwn(token),

    trustOwnWorker(token: string): void {
      own.push({ hash: hashSecret(token), identity: workerIdentity });
    },

    /** Lets this process act as one of its users. The function that is returned ends it. */
    trustOwnUser(token: string, identity: Identity): () => void {
      const entry = { hash: hashSecret(token), identity };
      own.push(entry);
      return () => {
        own = own.filter((one) => one !== entry);
      };
    },

    async findByToken(token: string): Promise<Identity | undefined> {
      const proof = await proofs.get(tokenKey(token), async () => {
        const candidate = await deps.store.findByTokenPrefix(tokenPrefix(token));
        return candidate && isSameHash(candidate.hash, hashSecret(token)) ? candidate : undefined;
      });
      return accept(proof);
    },

    async findBySession(secret: string): Promise<Identity | undefined> {
      const hash = hashSecret(secret);
      return accept(await proofs.get(sessionKey(hash), () => deps.store.findBySessionHash(hash)));
    },

    /** For names that a trusted proxy vouches for. */
    async findByUserName(name: string): Promise<Identity | undefined> {
      return accept(await proofs.get(`user ${name}`, () => deps.store.findByUserName(name)));
    },

    /** Known without asking the database: such callers are never held up by the limit on failed attempts. */
    isTokenKnown: (token: string): boolean => proofs.peek(tokenKey(token)) !== undefined,
    isSessionKnown: (secret: string): boolean => proofs.peek(sessionKey(hashSecret(secret))) !== undefined,

    recallTeam: (id: string): Team | undefined => teams.recall(id),

    findTeam: (id: string): Promise<Team | undefined> => teams.get(id, () => deps.teams.find(id)),

    /** After a change on this process: nothing remembered before it is used again. */
    forget(): void {
      proofs.forget();
      teams.forget();
    },

    /** Writes when tokens were last used; called now and then, and once at the end. */
    async recordUses(): Promise<void> {
      if (uses.size === 0) return;
      const batch = uses;
      uses = new Map();
      if (lastRecorded.size > cacheLimit) lastRecorded.clear();
      await deps.tokens.recordUse(batch);
    },
  };
}
