import { randomBytes } from 'node:crypto';
import type { lookup } from 'node:dns';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { afterAll, afterEach, expect } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import type { Clock } from '../../src/clock.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { Database } from '../../src/db/open.ts';
import { scopes as allScopes, type Role, type Scope } from '../../src/identity/access.ts';
import type { WorkflowLimits } from '../../src/workflows/workflows.service.ts';
import { newTestDirectory, openTestDatabase, silentLog } from './database.ts';
import { checkAnswers, expectCommonRules, type Violations } from './response-check.ts';

export const adminToken = 'the-admin-token-of-the-tests';

export type Answer = {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  text: string;
  /** The parsed body; tests say what they expect of it, the schemas have been checked before. */
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
};

export type RequestOptions = {
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  /** The body as it stands, for what JSON.stringify cannot write. */
  text?: string;
  remoteAddress?: string;
};

export type TestApp = Awaited<ReturnType<typeof startTestApp>>;

/** A whole service on a fresh database (or on a given one, to have two), whose every answer is checked. */
export async function startTestApp(
  options: {
    config?: Partial<Config>;
    clock?: Clock;
    database?: Database;
    adminToken?: string | undefined;
    workflowLimits?: Partial<WorkflowLimits>;
    resolve?: typeof lookup;
    log?: Logger;
  } = {},
) {
  const { clock, workflowLimits, resolve, log = silentLog } = options;
  const database = options.database ?? (await openTestDatabase());
  const dataDir = await newTestDirectory();
  // A home that is not there is an empty one: the examples would run by themselves.
  const config = { ...readConfig({}), dataDir, home: join(dataDir, 'home'), adminToken, ...options.config };
  const app: App = await createApp({ config, database, log, clock, workflowLimits, resolve });
  checkAnswers(app.server, violations);
  await app.server.ready();
  running.push(app);

  async function request(method: string, url: string, options: RequestOptions = {}): Promise<Answer> {
    const headers = { ...options.headers };
    if (options.token !== undefined) headers['authorization'] = `Bearer ${options.token}`;
    let payload = options.text;
    if (options.body !== undefined) payload = JSON.stringify(options.body);
    if (payload !== undefined) headers['content-type'] ??= 'application/json';
    const response = await app.server.inject({
      method: method as 'GET', // inject takes any method, its type does not
      url,
      headers,
      ...(payload === undefined ? {} : { payload }),
      ...(options.remoteAddress === undefined ? {} : { remoteAddress: options.remoteAddress }),
    });
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const isPlain = response.headers['content-encoding'] === undefined;
    const text = response.body;
    const answer: Answer = {
      status: response.statusCode,
      headers: response.headers,
      text,
      body: isJson && isPlain && text !== '' ? JSON.parse(text) : undefined,
    };
    expectCommonRules(answer, `${method} ${url}`);
    return answer;
  }

  /** As the administrator, and it must succeed: for arranging. */
  async function arrange(method: string, url: string, body?: unknown) {
    const answer = await request(method, url, { token: adminToken, body });
    expect(answer.status, `${method} ${url}: ${answer.text}`).toBeLessThan(300);
    return answer.body;
  }

  let listening: Promise<string> | undefined;
  return {
    ...app,
    database,
    request,
    arrange,
    /** Opens a real socket, once, on a port of the system's choice. */
    listen: (): Promise<string> => (listening ??= app.server.listen({ host: '127.0.0.1', port: 0 })),
    createUser: (name = unique('user'), admin = false): Promise<{ id: string; name: string }> =>
      arrange('POST', '/v1/users', { name, admin }),
    createToken: (userId: string, scopes: readonly Scope[] = allScopes, expires_at: string | null = null) =>
      arrange('POST', `/v1/users/${userId}/tokens`, { name: unique('token'), scopes, expires_at }) as Promise<{
        id: string;
        token: string;
        prefix: string;
      }>,
    createTeam: (name = unique('team')): Promise<{ id: string; name: string }> =>
      arrange('POST', '/v1/teams', { name }),
    createNews: (title = unique('title'), message = 'message'): Promise<{ id: string; title: string }> =>
      arrange('POST', '/v1/news', { title, message }),
    /** Adds to the grants that the team has. */
    async grant(teamId: string, userName: string, role: Role): Promise<void> {
      const { grants } = await arrange('GET', `/v1/teams/${teamId}/grants`);
      await arrange('PUT', `/v1/teams/${teamId}/grants`, { grants: [...grants, { user: userName, role }] });
    },
  };
}

export const unique = (what: string): string => `${what} ${randomBytes(5).toString('hex')}`;

/** A clock that a test moves. */
export function createTestClock(start = Date.now()): Clock & { advance(ms: number): void } {
  let now = start;
  return Object.assign(() => now, {
    advance(ms: number) {
      now += ms;
    },
  });
}

const violations: Violations = [];
const running: App[] = [];

afterEach(() => {
  expect(violations.splice(0), 'answers that their own schema does not describe').toEqual([]);
});

// Runs before the databases are closed: vitest calls these hooks newest first.
afterAll(async () => {
  for (const app of running.splice(0)) await app.close();
});
