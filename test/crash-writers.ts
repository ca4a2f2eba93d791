import type { Service } from './harness/service.ts';

type Scope = 'Read' | 'Write';
type NewsText = { title: string; message: string };
type Grants = { user: string; role: string }[];

/**
 * Everything that the service has acknowledged, and for each writer the one change that it was waiting for when the service died. That
 * one may have happened or not; everything else must be there exactly.
 */
export type Ledger = {
  news: Map<string, NewsText>;
  users: Map<string, string>;
  tokens: Map<string, { name: string; scopes: Scope[]; token: string }>;
  grants: Map<string, Grants>;
  pendingNews: Map<string, NewsText>;
  pendingGrants: Map<string, Grants>;
};

export const createLedger = (): Ledger => ({
  news: new Map(),
  users: new Map(),
  tokens: new Map(),
  grants: new Map(),
  pendingNews: new Map(),
  pendingGrants: new Map(),
});

export const countWrites = (ledger: Ledger): number =>
  ledger.news.size + ledger.users.size + ledger.tokens.size + ledger.grants.size;

/** Writes until the service is gone. Any answer other than a success is a fault of the service, not of the crash. */
export async function writeUntilGone(service: Service, ledger: Ledger, writer: string): Promise<void> {
  try {
    const team = await ask<{ id: string }>(service, 'POST', '/v1/teams', { name: `team ${writer}` });
    for (let count = 0; ; count++) await writeOnce(service, ledger, { name: `${writer}-${count}`, teamId: team.id });
  } catch (error) {
    if (error instanceof UnexpectedAnswer) throw error;
  }
}

async function writeOnce(service: Service, ledger: Ledger, own: { name: string; teamId: string }): Promise<void> {
  const { name, teamId } = own;
  const first = { title: `News ${name}`, message: `First words of ${name} ü ✓` };
  const item = await ask<{ id: string }>(service, 'POST', '/v1/news', first);
  ledger.news.set(item.id, first);

  const user = await ask<{ id: string }>(service, 'POST', '/v1/users', { name: `user ${name}` });
  ledger.users.set(user.id, `user ${name}`);

  const wish = { name: `token ${name}`, scopes: ['Read', 'Write'] satisfies Scope[] };
  const token = await ask<{ id: string; token: string }>(service, 'POST', '/v1/users/me/tokens', wish);
  ledger.tokens.set(token.id, { ...wish, token: token.token });

  const changed = { title: `News ${name}, corrected`, message: 'x'.repeat(2000) };
  ledger.pendingNews.set(item.id, changed);
  await ask(service, 'PATCH', `/v1/news/${item.id}`, changed);
  ledger.news.set(item.id, changed);
  ledger.pendingNews.delete(item.id);

  const grants = [{ user: `user ${name}`, role: 'editor' }];
  ledger.pendingGrants.set(teamId, grants);
  await ask(service, 'PUT', `/v1/teams/${teamId}/grants`, { grants });
  ledger.grants.set(teamId, grants);
  ledger.pendingGrants.delete(teamId);
}

/** What of the ledger is not there, or not as it was acknowledged; empty when all is well. */
export async function findLosses(service: Service, ledger: Ledger): Promise<string[]> {
  const { news } = await ask<{ news: ({ id: string } & NewsText)[] }>(service, 'GET', '/v1/news');
  const { users } = await ask<{ users: { id: string; name: string }[] }>(service, 'GET', '/v1/users');
  const { tokens } = await ask<{ tokens: { id: string; name: string; scopes: Scope[] }[] }>(
    service,
    'GET',
    '/v1/users/me/tokens',
  );
  const losses: string[] = [];
  const compare = (what: string, found: unknown, expected: unknown, alternative?: unknown): void => {
    const text = JSON.stringify(found);
    if (text === JSON.stringify(expected)) return;
    if (alternative !== undefined && text === JSON.stringify(alternative)) return;
    losses.push(`${what}: ${text} instead of ${JSON.stringify(expected)}`);
  };

  const newsById = new Map(news.map(({ id, title, message }) => [id, { title, message }]));
  for (const [id, text] of ledger.news) compare(`news ${id}`, newsById.get(id), text, ledger.pendingNews.get(id));
  const userById = new Map(users.map(({ id, name }) => [id, name]));
  for (const [id, name] of ledger.users) compare(`user ${id}`, userById.get(id), name);
  const tokenById = new Map(tokens.map(({ id, name, scopes }) => [id, { name, scopes }]));
  for (const [id, { name, scopes }] of ledger.tokens) compare(`token ${id}`, tokenById.get(id), { name, scopes });
  for (const [teamId, expected] of ledger.grants) {
    const { grants } = await ask<{ grants: Grants }>(service, 'GET', `/v1/teams/${teamId}/grants`);
    const found = grants.map(({ user, role }) => ({ user, role }));
    compare(`grants of ${teamId}`, found, expected, ledger.pendingGrants.get(teamId));
  }
  // A row is one thing, and that the secret still opens the door is another.
  for (const { name, token } of [...ledger.tokens.values()].slice(-10)) {
    const answer = await fetch(`${service.url}/v1/users/me`, { headers: { authorization: `Bearer ${token}` } });
    compare(name, answer.status, 200);
  }
  return losses;
}

class UnexpectedAnswer extends Error {}

async function ask<T>(service: Service, method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(service.url + path, {
    method,
    headers: {
      authorization: `Bearer ${service.adminToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new UnexpectedAnswer(`${method} ${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as T; // each caller names the shape that the interface promises
}
