import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RouteEntry } from '../../src/http/server.ts';
import { roles, type Scope } from '../../src/identity/access.ts';
import { adminToken, startTestApp, type TestApp, unique } from '../harness/app.ts';
import { newHome } from '../harness/home.ts';
import {
  type Caller,
  callers,
  expectations,
  expectedStatus,
  type World,
  workflowFiles,
} from './authorization.table.ts';

/**
 * Who may call what. The routes come from the running server, the expected answers from `authorization.table.ts`: a new route has to
 * be added there before these tests pass.
 */
let app: TestApp;
let world: World;
let tokens: Record<Caller, string | undefined>;

beforeAll(async () => {
  // A provider that is not there: its routes exist, and answer 503.
  const oidc = { issuer: 'http://127.0.0.1:1', clientId: 'faultline', clientSecret: undefined };
  const home = await newHome(workflowFiles);
  app = await startTestApp({ config: { oidc, publicUrl: 'http://faultline.test', home } });
  const team = await app.createTeam();
  const otherTeam = await app.createTeam();
  const person = async (scopes: Scope[], admin = false) => {
    const user = await app.createUser(unique('caller'), admin);
    return { ...user, token: (await app.createToken(user.id, scopes)).token };
  };
  const inTeam = {
    member: await person(['Read', 'Write']),
    editor: await person(['Read', 'Write']),
    manager: await person(['Read', 'Write']),
  };
  const other = await person(['Read', 'Write']);
  await app.grant(otherTeam.id, other.name, 'manager');
  const grants = roles.map((role) => ({ user: inTeam[role].name, role }));
  const grantAll = (teamId: string) => app.arrange('PUT', `/v1/teams/${teamId}/grants`, { grants });
  await grantAll(team.id);
  tokens = {
    nobody: undefined,
    Read: (await person(['Read'])).token,
    Write: (await person(['Write'])).token,
    Service: (await person(['Service'])).token,
    'Admin scope, plain user': (await person(['Admin', 'Read', 'Write', 'Service'])).token,
    'administrator, only Admin': (await person(['Admin'], true)).token,
    'administrator, all scopes': adminToken,
    member: inTeam.member.token,
    editor: inTeam.editor.token,
    manager: inTeam.manager.token,
    'manager of another team': other.token,
  };
  world = {
    app,
    team,
    grants,
    async freshTeam() {
      const fresh = await app.createTeam();
      await grantAll(fresh.id);
      return fresh;
    },
  };
});

/** An answer that does not end: the beginning is enough. */
async function statusOfStream(url: string, token: string | undefined): Promise<number> {
  const leave = new AbortController();
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { status } = await fetch(`${await app.listen()}${url}`, { headers, signal: leave.signal });
  leave.abort();
  return status;
}

const keyOf = (route: RouteEntry): string => `${route.method} ${route.url}`;
const routesToTest = (): RouteEntry[] => app.server.routes.filter((route) => route.method !== 'HEAD');
const fill = (url: string, params: Record<string, string>): string =>
  url.replace(/:(\w+)|\*/g, (name) => encodeURIComponent(params[name.replace(':', '')] ?? randomUUID()));

test('every route has an expectation, and every expectation has its route', () => {
  const routes = routesToTest().map(keyOf);
  const missing = routes.filter((key) => !(key in expectations));
  expect(missing, 'routes without an entry: add a line for each to test/http/authorization.table.ts').toEqual([]);
  const left = Object.keys(expectations).filter((key) => !routes.includes(key));
  expect(left, 'entries without a route: remove them from test/http/authorization.table.ts').toEqual([]);
});

test('HEAD is offered only where GET is, with the same access', () => {
  const byKey = new Map(app.server.routes.map((route) => [keyOf(route), route]));
  for (const route of app.server.routes.filter(({ method }) => method === 'HEAD')) {
    expect(byKey.get(`GET ${route.url}`)?.access, keyOf(route)).toEqual(route.access);
  }
});

// One test per caller: the table below is what a failure shows.
describe.each(callers)('%s', (caller) => {
  test('gets the expected status of every route', async () => {
    const expected: Record<string, number> = {};
    const seen: Record<string, number> = {};
    for (const route of routesToTest()) {
      const entry = expectations[keyOf(route)];
      if (!entry) continue; // told by the test above
      const { params = {}, query = '', body } = (await entry.send?.(world)) ?? {};
      const url = fill(route.url, { team_id: world.team.id, ...params }) + query;
      const token = tokens[caller];
      expected[keyOf(route)] = expectedStatus(entry, caller);
      seen[keyOf(route)] = entry.isStream
        ? await statusOfStream(url, token)
        : (await app.request(route.method, url, { token, body })).status;
    }
    expect(seen).toEqual(expected);
  });
});

describe('the order of refusal', () => {
  const badBody = { text: '{"name": ', headers: { 'content-type': 'application/json' } };
  const unknownTeams = [randomUUID(), 'not-a-uuid', '00000000-0000-0000-0000-00000000000g', '%00', 'é', "' or 1=1"];
  const send = async (route: RouteEntry, teamId: string, token: string | undefined) => {
    const url = fill(route.url, { team_id: '@' }).replace('%40', teamId.startsWith('%') ? teamId : encodeURI(teamId));
    const hasBody = route.method !== 'GET';
    return (await app.request(route.method, url, { token, ...(hasBody ? badBody : {}) })).status;
  };

  test('401 comes before everything', async () => {
    for (const route of routesToTest().filter(({ access }) => access !== 'open')) {
      for (const token of [undefined, 'wrong', 'flt_000000000000_'.padEnd(60, 'x')]) {
        expect(await send(route, 'not-a-uuid', token), keyOf(route)).toBe(401);
      }
    }
  });

  test('403 for the scope comes before the team and the body', async () => {
    for (const route of routesToTest()) {
      if (route.access === undefined || route.access === 'open') continue;
      const token = route.access.scope === 'Service' ? tokens.Read : tokens.Service;
      expect(await send(route, 'not-a-uuid', token), keyOf(route)).toBe(403);
    }
  });

  test('404 for a team that is unknown or malformed comes before the grant and the body', async () => {
    for (const route of teamRoutes()) {
      for (const id of unknownTeams) {
        expect(await send(route, id, adminToken), `${keyOf(route)} with ${id}`).toBe(404);
        const withoutGrant = tokens['Admin scope, plain user'];
        const isForAdmins = route.access !== 'open' && route.access?.scope === 'Admin';
        expect(await send(route, id, withoutGrant), `${keyOf(route)} with ${id}`).toBe(isForAdmins ? 403 : 404);
      }
    }
  });

  test('403 for the grant comes before the body, and 400 for the body before the thing itself', async () => {
    for (const route of teamRoutes()) {
      expect(await send(route, world.team.id, tokens['Admin scope, plain user']), keyOf(route)).toBe(403);
      if (route.method === 'GET') continue;
      expect(await send(route, world.team.id, adminToken), keyOf(route)).toBe(400);
    }
    for (const route of routesToTest().filter(({ method, url }) => method !== 'GET' && !url.includes(':team_id'))) {
      expect(await send(route, '', adminToken), keyOf(route)).toBe(400);
    }
  });

  const teamRoutes = () => routesToTest().filter(({ access }) => access !== 'open' && access?.team !== undefined);
});

test('a team is found by its id in capital letters too', async () => {
  const answer = await app.request('GET', `/v1/teams/${world.team.id.toUpperCase()}`, { token: tokens.member });
  expect(answer.body).toMatchObject({ id: world.team.id });
});

test('an administrator who is made a plain user loses the administrator routes and the teams at once', async () => {
  const user = await app.createUser(unique('demoted'), true);
  const { token } = await app.createToken(user.id);
  expect((await app.request('GET', '/v1/audit', { token })).status).toBe(200);
  expect((await app.request('GET', `/v1/teams/${world.team.id}`, { token })).status).toBe(200);
  await app.arrange('PATCH', `/v1/users/${user.id}`, { admin: false });
  expect((await app.request('GET', '/v1/audit', { token })).status).toBe(403);
  expect((await app.request('GET', `/v1/teams/${world.team.id}`, { token })).status).toBe(403);
});
