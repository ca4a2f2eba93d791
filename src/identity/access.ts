/** Who may do what: the vocabulary of scopes, roles and identities. */

export const scopes = ['Read', 'Write', 'Service', 'Admin'] as const;
export type Scope = (typeof scopes)[number];

/** Weakest first: a role may do all that those before it may. */
export const roles = ['member', 'editor', 'manager'] as const;
export type Role = (typeof roles)[number];

export const isRoleAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);

/** What a route asks of its caller; every route declares one, and the server refuses to start with a route that does not. */
export type Access = 'open' | { scope: Scope; team?: Role };

/** The person or program behind a request, as far as it has been proved. */
export type Identity = {
  userId: string;
  userName: string;
  userCreatedAt: Date;
  userUpdatedAt: Date;
  isAdmin: boolean;
  scopes: readonly Scope[];
  /** Role by team id. */
  grants: ReadonlyMap<string, Grant>;
  /** The token that proved it, if one did. */
  tokenId: string | undefined;
  /** Until when that proof holds. */
  expiresAt: Date | null;
  /** When the token behind it ends, also behind a session: no token made with it lasts longer. */
  tokenExpiresAt: Date | null;
};

export type Grant = { teamName: string; role: Role };

/** Who did it and from where: what the audit log keeps of a request. */
export type Actor = { userId: string | null; userName: string; address: string | null; requestId: string | null };

/** Changes made by the service itself, such as the first user. */
export const systemActor: Actor = { userId: null, userName: 'system', address: null, requestId: null };

export type AccessDecision = 'allowed' | 'scope' | 'grant';

/** May this identity use a route with this access? Which team it is about was found before. */
export function decide(
  identity: Identity,
  access: Exclude<Access, 'open'>,
  teamId: string | undefined,
): AccessDecision {
  if (!identity.scopes.includes(access.scope)) return 'scope';
  if (access.scope === 'Admin' && !identity.isAdmin) return 'scope';
  if (access.team === undefined || identity.isAdmin) return 'allowed';
  const grant = teamId === undefined ? undefined : identity.grants.get(teamId);
  return grant !== undefined && isRoleAtLeast(grant.role, access.team) ? 'allowed' : 'grant';
}
