import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '../db/tables.ts';
import type { Identity, Role, Scope } from './access.ts';

/** What a credential proves, with the hash it has to match. */
export type Proof = { identity: Identity; hash: Buffer };

export type AuthenticationStore = ReturnType<typeof createAuthenticationStore>;

type Row = {
  user_id: string;
  name: string;
  created_at: Date;
  updated_at: Date;
  is_admin: boolean;
  scopes: Scope[];
  token_id: string | null;
  expires_at: Date | null;
  token_expires_at: Date | null;
  hash: Buffer;
  grants: { team_id: string; team_name: string; role: Role }[];
};

/** One query per credential that is not known yet: user, scopes and grants together. Disabled users have no identity. */
export function createAuthenticationStore(db: Kysely<Tables>) {
  const user = sql`users.id as user_id, users.name, users.created_at, users.updated_at, users.is_admin, coalesce((
      select json_agg(json_build_object('team_id', teams.id, 'team_name', teams.name, 'role', grants.role) order by teams.name)
      from grants join teams on teams.id = grants.team_id where grants.user_id = users.id
    ), '[]') as grants`;

  const first = async (query: {
    execute(db: Kysely<Tables>): Promise<{ rows: Row[] }>;
  }): Promise<Proof | undefined> => {
    const row = (await query.execute(db)).rows.at(0);
    return row && toProof(row);
  };

  return {
    findByTokenPrefix: (prefix: string) =>
      first(sql<Row>`
        select ${user}, tokens.scopes, tokens.id as token_id, tokens.expires_at, tokens.expires_at as token_expires_at, tokens.hash
        from tokens join users on users.id = tokens.user_id
        where tokens.prefix = ${prefix} and not users.is_disabled`),

    findBySessionHash: (hash: Buffer) =>
      first(sql<Row>`
        select ${user}, sessions.scopes, sessions.token_id, least(sessions.expires_at, tokens.expires_at) as expires_at,
          tokens.expires_at as token_expires_at, sessions.hash
        from sessions join users on users.id = sessions.user_id left join tokens on tokens.id = sessions.token_id
        where sessions.hash = ${hash} and not users.is_disabled`),

    findByUserName: (name: string) =>
      first(sql<Row>`
        select ${user}, case when users.is_admin then array['Read', 'Write', 'Service', 'Admin'] else array['Read', 'Write'] end as scopes,
          null as token_id, null as expires_at, null as token_expires_at, ''::bytea as hash
        from users where users.name = ${name} and not users.is_disabled`),
  };
}

function toProof(row: Row): Proof {
  return {
    hash: row.hash,
    identity: {
      userId: row.user_id,
      userName: row.name,
      userCreatedAt: row.created_at,
      userUpdatedAt: row.updated_at,
      isAdmin: row.is_admin,
      scopes: row.scopes,
      grants: new Map(row.grants.map((grant) => [grant.team_id, { teamName: grant.team_name, role: grant.role }])),
      tokenId: row.token_id ?? undefined,
      expiresAt: row.expires_at,
      tokenExpiresAt: row.token_expires_at,
    },
  };
}
