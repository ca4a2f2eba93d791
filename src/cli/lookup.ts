import type { z } from 'zod';
import { conflict, notFound } from '../errors.ts';
import { type team, teamList, type token, tokenList, type user, userList } from '../identity/identity.schemas.ts';
import type { Client } from './client.ts';

type User = z.infer<typeof user>;
type Team = z.infer<typeof team>;
type Token = z.infer<typeof token>;

/** People type names, programs know ids: both are understood, names first. */
export async function getUser(client: Client, nameOrId: string): Promise<User> {
  const { users } = (await client.get('/v1/users', userList)).value;
  const found = byNameOrId(users, nameOrId);
  if (!found) throw notFound(`There is no user "${nameOrId}"; "faultline user list" shows all.`);
  return found;
}

export async function getTeam(client: Client, nameOrId: string): Promise<Team> {
  const { teams } = (await client.get('/v1/teams', teamList)).value;
  const found = byNameOrId(teams, nameOrId);
  if (!found) throw notFound(`There is no team "${nameOrId}" that you may see; "faultline team list" shows yours.`);
  return found;
}

/** Tokens need not have different names, so a name counts only where it is the only one. */
export async function getToken(client: Client, tokensPath: string, reference: string): Promise<Token> {
  const { tokens } = (await client.get(tokensPath, tokenList)).value;
  const exact = tokens.find((token) => token.id === reference.toLowerCase() || token.prefix === reference);
  if (exact) return exact;
  const named = tokens.filter((token) => token.name === reference);
  const [only, ...others] = named;
  if (!only) throw notFound(`There is no token "${reference}"; "faultline token list" shows them.`);
  if (others.length > 0) {
    const ids = named.map((token) => token.id).join(', ');
    throw conflict(`${named.length} tokens are named "${reference}"; give the id of one: ${ids}.`);
  }
  return only;
}

/** Where a user's tokens are; without a user, one's own. */
export async function tokensPathOf(client: Client, userName: string | undefined): Promise<string> {
  if (userName === undefined) return '/v1/users/me/tokens';
  return `/v1/users/${(await getUser(client, userName)).id}/tokens`;
}

function byNameOrId<T extends { id: string; name: string }>(list: T[], nameOrId: string): T | undefined {
  return list.find((item) => item.name === nameOrId) ?? list.find((item) => item.id === nameOrId.toLowerCase());
}
