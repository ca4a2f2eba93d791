import type { Role } from '../../src/identity/access.ts';
import { type TestApp, unique } from '../harness/app.ts';

/** Who may call what, for every route. A new route gets a line in `expectations`; nothing else in this file needs to change. */

export const callers = [
  'nobody',
  'Read',
  'Write',
  'Service',
  'Admin scope, plain user',
  'administrator, only Admin',
  'administrator, all scopes',
  'member',
  'editor',
  'manager',
  'manager of another team',
] as const;
export type Caller = (typeof callers)[number];

/** `Read`, `Write` and `Service` carry only that scope and have no grant; people of teams carry Read and Write. */
const holders = {
  everybody: callers,
  Read: [
    'Read',
    'Admin scope, plain user',
    'administrator, all scopes',
    'member',
    'editor',
    'manager',
    'manager of another team',
  ],
  Write: [
    'Write',
    'Admin scope, plain user',
    'administrator, all scopes',
    'member',
    'editor',
    'manager',
    'manager of another team',
  ],
  Service: ['Service', 'Admin scope, plain user', 'administrator, all scopes'],
  administrators: ['administrator, only Admin', 'administrator, all scopes'],
  'Read in the team': ['administrator, all scopes', 'member', 'editor', 'manager'],
  'Write as editor': ['administrator, all scopes', 'editor', 'manager'],
  'Write as manager': ['administrator, all scopes', 'manager'],
} as const satisfies Record<string, readonly Caller[]>;

export type World = {
  app: TestApp;
  /** The team of the people of the same name. */
  team: { id: string; name: string };
  grants: { user: string; role: Role }[];
  /** A team that may be destroyed, with the same people in it. */
  freshTeam(): Promise<{ id: string; name: string }>;
};

export type Expectation = {
  /** Its answer does not end: only how it begins is asked for. */
  isStream?: true;
  allowed: keyof typeof holders;
  /** What those who are allowed get; the others get 401 (nobody) or 403. */
  status: number;
  /** What to send so that the call succeeds: path parts (`team_id` is given), query, body. Called anew for each caller. */
  send?: (world: World) => Promise<Call> | Call;
};
type Call = { params?: Record<string, string>; query?: string; body?: unknown };

export const expectations: Record<string, Expectation> = {
  'GET /': { allowed: 'everybody', status: 200 },
  'GET /app': { allowed: 'everybody', status: 200 },
  'GET /app/*': { allowed: 'everybody', status: 200, send: () => ({ params: { '*': 'workflows' } }) },
  'GET /assets/*': { allowed: 'everybody', status: 404, send: () => ({ params: { '*': 'nothing.js' } }) },
  'GET /docs': { allowed: 'everybody', status: 200 },
  'GET /openapi.json': { allowed: 'everybody', status: 200 },
  'GET /api/ping': { allowed: 'everybody', status: 200 },
  'GET /health/live': { allowed: 'everybody', status: 200 },
  'GET /health/ready': { allowed: 'everybody', status: 200 },
  'GET /metrics': { allowed: 'Read', status: 200 },

  'GET /auth/methods': { allowed: 'everybody', status: 200 },
  // The provider of this test is not there, and nobody has begun to sign in.
  'GET /auth/oidc/login': { allowed: 'everybody', status: 503 },
  'GET /auth/oidc/callback': { allowed: 'everybody', status: 401 },
  'POST /v1/session': { allowed: 'everybody', status: 401, send: () => ({ body: { token: 'wrong' } }) },
  'GET /v1/session': { allowed: 'Read', status: 200 },
  'DELETE /v1/session': { allowed: 'Read', status: 200 },

  'GET /v1/users': { allowed: 'Read', status: 200 },
  'POST /v1/users': { allowed: 'administrators', status: 201, send: () => ({ body: { name: unique('new') } }) },
  'GET /v1/users/administered': { allowed: 'administrators', status: 200 },
  'PATCH /v1/users/:id': {
    allowed: 'administrators',
    status: 200,
    send: async ({ app }) => ({ params: { id: (await app.createUser()).id }, body: { disabled: true } }),
  },
  'GET /v1/users/me': { allowed: 'Read', status: 200 },
  'GET /v1/users/me/tokens': { allowed: 'Read', status: 200 },
  // Scopes are checked on the token's own account too: the plain body would ask for more than `Write` alone has.
  'POST /v1/users/me/tokens': {
    allowed: 'Write',
    status: 201,
    send: () => ({ body: { name: unique('token'), scopes: ['Write'] } }),
  },
  'DELETE /v1/users/me/tokens/:token_id': { allowed: 'Write', status: 404 },
  'GET /v1/users/:id/tokens': {
    allowed: 'administrators',
    status: 200,
    send: async ({ app }) => ({ params: { id: (await app.createUser()).id } }),
  },
  'POST /v1/users/:id/tokens': {
    allowed: 'administrators',
    status: 201,
    send: async ({ app }) => ({
      params: { id: (await app.createUser()).id },
      body: { name: unique('token'), scopes: ['Admin'] },
    }),
  },
  'DELETE /v1/users/:id/tokens/:token_id': {
    allowed: 'administrators',
    status: 200,
    send: async ({ app }) => {
      const user = await app.createUser();
      return { params: { id: user.id, token_id: (await app.createToken(user.id)).id } };
    },
  },

  'GET /v1/teams': { allowed: 'Read', status: 200 },
  'POST /v1/teams': { allowed: 'administrators', status: 201, send: () => ({ body: { name: unique('team') } }) },
  'GET /v1/teams/:team_id': { allowed: 'Read in the team', status: 200 },
  'PATCH /v1/teams/:team_id': {
    allowed: 'Write as manager',
    status: 200,
    send: () => ({ body: { name: unique('renamed') } }),
  },
  'DELETE /v1/teams/:team_id': {
    allowed: 'administrators',
    status: 200,
    send: async (world) => ({ params: { team_id: (await world.freshTeam()).id } }),
  },
  'GET /v1/teams/:team_id/grants': { allowed: 'Read in the team', status: 200 },
  'PUT /v1/teams/:team_id/grants': {
    allowed: 'Write as manager',
    status: 200,
    send: ({ grants }) => ({ body: { grants } }),
  },

  'GET /v1/teams/:team_id/labels': { allowed: 'Read in the team', status: 200 },
  'GET /v1/teams/:team_id/labels/:label/nodes': { allowed: 'Read in the team', status: 200, send: oneNode },
  'GET /v1/teams/:team_id/labels/:label/nodes/:node': { allowed: 'Read in the team', status: 200, send: oneNode },
  'DELETE /v1/teams/:team_id/labels/:label/nodes/:node': { allowed: 'Write as manager', status: 200, send: oneNode },
  'GET /v1/teams/:team_id/labels/:label/nodes/:node/count': { allowed: 'Read in the team', status: 200, send: oneNode },
  'GET /v1/teams/:team_id/labels/:label/nodes/:node/impacted': {
    allowed: 'Read in the team',
    status: 200,
    send: oneNode,
  },
  'GET /v1/teams/:team_id/labels/:label/nodes/:node/impacted/all': {
    allowed: 'Read in the team',
    status: 200,
    send: oneNode,
  },
  'GET /v1/teams/:team_id/labels/:label/nodes/:node/impacted/count': {
    allowed: 'Read in the team',
    status: 200,
    send: oneNode,
  },
  'POST /v1/teams/:team_id/graph': { allowed: 'Write as editor', status: 200, send: () => ({ body: [] }) },
  'DELETE /v1/teams/:team_id/graph': { allowed: 'Write as editor', status: 200, send: () => ({ body: [] }) },
  'GET /v1/teams/:team_id/graph/export': { allowed: 'Read in the team', status: 200 },
  'GET /v1/teams/:team_id/graph/search': {
    allowed: 'Read in the team',
    status: 200,
    send: () => ({ query: '?q=one' }),
  },
  'GET /v1/teams/:team_id/graph/neighbours': {
    allowed: 'Read in the team',
    status: 200,
    send: () => ({ query: '?label=Server&name=one' }),
  },
  'GET /v1/teams/:team_id/graph/impact': {
    allowed: 'Read in the team',
    status: 200,
    send: () => ({ query: '?label=Server&name=one' }),
  },
  'GET /v1/teams/:team_id/graph/overview': { allowed: 'Read in the team', status: 200 },
  'GET /v1/teams/:team_id/configs': { allowed: 'Read in the team', status: 200 },
  'POST /v1/teams/:team_id/configs': {
    allowed: 'Write as manager',
    status: 201,
    send: async (world) => {
      await oneConfig(world);
      return { body: { Server: { qos: 'rule.Uptime' } } };
    },
  },
  'GET /v1/teams/:team_id/configs/current': { allowed: 'Read in the team', status: 200, send: oneConfig },
  'GET /v1/teams/:team_id/configs/:id': { allowed: 'Read in the team', status: 200, send: oneConfig },
  'PUT /v1/teams/:team_id/configs/:id/apply': { allowed: 'Write as manager', status: 200, send: oneConfig },

  'GET /integration/models': { allowed: 'Read', status: 200 },
  'GET /integration/models/:name': { allowed: 'Read', status: 200, send: () => ({ params: { name: 'prometheus' } }) },
  'POST /integration/models': {
    allowed: 'administrators',
    status: 201,
    send: () => ({ body: { name: `m-${unique('x').replace(' ', '')}` } }),
  },
  'PUT /integration/models/:name': {
    allowed: 'administrators',
    status: 200,
    send: () => ({ params: { name: 'prometheus' }, body: { disabled: false } }),
  },
  'DELETE /integration/models/:name': {
    allowed: 'administrators',
    status: 200,
    send: async ({ app }) => {
      const { name } = await app.arrange('POST', '/integration/models', { name: `m-${unique('x').replace(' ', '')}` });
      return { params: { name } };
    },
  },
  'POST /v1/teams/:team_id/qos/compute': {
    allowed: 'Write as editor',
    status: 201,
    send: async (world) => {
      await oneConfig(world);
      return { body: { day: '2026-10-01' } };
    },
  },
  'GET /v1/teams/:team_id/qos/runs': { allowed: 'Read in the team', status: 200 },
  'GET /v1/teams/:team_id/qos/runs/:id': { allowed: 'Read in the team', status: 404 },
  'GET /v1/teams/:team_id/qos': { allowed: 'Read in the team', status: 200, send: () => ({ query: '?label=Server' }) },
  'GET /v1/teams/:team_id/qos/worst': {
    allowed: 'Read in the team',
    status: 200,
    send: () => ({ query: '?label=Server' }),
  },
  'GET /v1/teams/:team_id/qos/explain': {
    allowed: 'Read in the team',
    status: 404,
    send: () => ({ query: '?label=Server&name=nobody' }),
  },
  'GET /v1/teams/:team_id/statistics': { allowed: 'Read in the team', status: 200 },

  'GET /v1/teams/:team_id/integrations': { allowed: 'Read in the team', status: 200 },
  'POST /v1/teams/:team_id/integrations': {
    allowed: 'Write as manager',
    status: 201,
    send: () => ({ body: { name: unique('source'), model: 'prometheus', config: { url: 'http://127.0.0.1:1' } } }),
  },
  'GET /v1/teams/:team_id/integrations/:id': { allowed: 'Read in the team', status: 200, send: oneIntegration },
  'PUT /v1/teams/:team_id/integrations/:id': {
    allowed: 'Write as manager',
    status: 200,
    send: async (world) => ({ ...(await oneIntegration(world)), body: { config: { url: 'http://127.0.0.1:1' } } }),
  },
  'DELETE /v1/teams/:team_id/integrations/:id': { allowed: 'Write as manager', status: 200, send: oneIntegration },
  'POST /v1/teams/:team_id/integrations/:id/test': { allowed: 'Write as editor', status: 200, send: oneIntegration },
  // Nothing to import there.
  'POST /v1/teams/:team_id/integrations/:id/import': { allowed: 'Write as editor', status: 409, send: oneIntegration },

  'GET /v1/teams/:team_id/qos/settings': { allowed: 'Read in the team', status: 200 },
  'PUT /v1/teams/:team_id/qos/settings': { allowed: 'Write as manager', status: 200, send: () => ({ body: {} }) },
  'GET /v1/teams/:team_id/sources': { allowed: 'Read in the team', status: 200 },
  'POST /v1/teams/:team_id/sources': {
    allowed: 'Write as editor',
    status: 201,
    send: () => ({ body: { name: unique('source'), model: 'push' } }),
  },
  'GET /v1/teams/:team_id/sources/:id': { allowed: 'Read in the team', status: 200, send: oneSource },
  'PUT /v1/teams/:team_id/sources/:id': {
    allowed: 'Write as editor',
    status: 200,
    send: async (world) => ({ ...(await oneSource(world)), body: {} }),
  },
  'DELETE /v1/teams/:team_id/sources/:id': { allowed: 'Write as editor', status: 200, send: oneSource },
  'GET /v1/teams/:team_id/checks': { allowed: 'Read in the team', status: 200 },
  'POST /v1/teams/:team_id/checks': {
    allowed: 'Write as editor',
    status: 201,
    send: async (world) => ({
      body: { name: unique('check'), source: (await oneSource(world)).params.id, threshold: 1 },
    }),
  },
  'GET /v1/teams/:team_id/checks/:id': { allowed: 'Read in the team', status: 200, send: oneCheck },
  'PUT /v1/teams/:team_id/checks/:id': {
    allowed: 'Write as editor',
    status: 200,
    send: async (world) => ({ ...(await oneCheck(world)), body: {} }),
  },
  'DELETE /v1/teams/:team_id/checks/:id': { allowed: 'Write as editor', status: 200, send: oneCheck },
  'GET /v1/teams/:team_id/rules': { allowed: 'Read in the team', status: 200 },
  'POST /v1/teams/:team_id/rules': {
    allowed: 'Write as editor',
    status: 201,
    send: () => ({ body: { name: unique('rule') } }),
  },
  'GET /v1/teams/:team_id/rules/:id': { allowed: 'Read in the team', status: 200, send: oneRule },
  'PUT /v1/teams/:team_id/rules/:id': {
    allowed: 'Write as editor',
    status: 200,
    send: async (world) => ({ ...(await oneRule(world)), body: {} }),
  },
  'PUT /v1/teams/:team_id/rules/:id/checks': {
    allowed: 'Write as editor',
    status: 200,
    send: async (world) => ({ ...(await oneRule(world)), body: { checks: [] } }),
  },
  'DELETE /v1/teams/:team_id/rules/:id': { allowed: 'Write as editor', status: 200, send: oneRule },
  'POST /v1/teams/:team_id/rules/:id/execute': {
    allowed: 'Write as editor',
    status: 200,
    send: async (world) => ({ ...(await oneRule(world)), body: { label: 'Web', name: 'a', start: 0, end: 60 } }),
  },
  'POST /v1/teams/:team_id/measurements': { allowed: 'Write as editor', status: 200, send: () => ({ body: [] }) },
  'GET /v1/teams/:team_id/qos/objectives': { allowed: 'Read in the team', status: 200 },
  'PUT /v1/teams/:team_id/qos/objectives/:label': {
    allowed: 'Write as editor',
    status: 200,
    send: () => ({ params: { label: 'Server' }, body: { target: 99.9 } }),
  },
  'DELETE /v1/teams/:team_id/qos/objectives/:label': {
    allowed: 'Write as editor',
    status: 200,
    send: async ({ app, team }) => {
      await app.arrange('PUT', `/v1/teams/${team.id}/qos/objectives/Server`, { target: 99.9 });
      return { params: { label: 'Server' } };
    },
  },

  'GET /v1/backup': { allowed: 'administrators', status: 200 },
  'GET /v1/audit': { allowed: 'administrators', status: 200 },

  'GET /v1/news': { allowed: 'Read', status: 200 },
  'DELETE /v1/news': { allowed: 'Write', status: 200 },
  'POST /v1/news': {
    allowed: 'administrators',
    status: 201,
    send: () => ({ body: { title: unique('title'), message: 'message' } }),
  },
  'GET /v1/news/:news_id': {
    allowed: 'Read',
    status: 200,
    send: async ({ app }) => ({ params: { news_id: (await app.createNews()).id } }),
  },
  'PATCH /v1/news/:news_id': {
    allowed: 'administrators',
    status: 200,
    send: async ({ app }) => ({ params: { news_id: (await app.createNews()).id }, body: { title: 'changed' } }),
  },
  'DELETE /v1/news/:news_id': {
    allowed: 'administrators',
    status: 200,
    send: async ({ app }) => ({ params: { news_id: (await app.createNews()).id } }),
  },

  'GET /notification/state': { allowed: 'Read', status: 200 },
  'GET /notification/type': { allowed: 'Read', status: 200 },
  'GET /notification/channels': { allowed: 'Read', status: 200 },
  'POST /notification/channels': {
    allowed: 'Write as manager',
    status: 201,
    send: ({ team }) => ({ body: newChannel(team.id) }),
  },
  'GET /notification/channels/:channel_id': { allowed: 'Read in the team', status: 200, send: oneChannel },
  'PUT /notification/channels/:channel_id': {
    allowed: 'Write as manager',
    status: 200,
    send: async (world) => ({ ...(await oneChannel(world)), body: newChannel(world.team.id) }),
  },
  'DELETE /notification/channels/:channel_id': { allowed: 'Write as manager', status: 200, send: oneChannel },
  // The address is not a public one: the answer says so.
  'POST /notification/channels/:channel_id/test': { allowed: 'Write as manager', status: 200, send: oneChannel },
  'GET /notification/deliveries': { allowed: 'Read', status: 200 },
  'POST /notification/deliveries/:delivery_id/resend': {
    allowed: 'Write as manager',
    status: 200,
    send: oneDelivery,
  },

  'GET /api/workflows': { allowed: 'Read', status: 200 },
  'POST /api/workflows': { allowed: 'Write', status: 201, send: () => ({ body: { project: 'test', name: 'WAITS' } }) },
  'GET /api/workflows/:id': { allowed: 'Read', status: 200, send: oneInstance },
  'DELETE /api/workflows/:id': { allowed: 'Write', status: 200, send: endedInstance },
  'POST /api/workflows/:id/relaunch': { allowed: 'Write', status: 201, send: endedInstance },
  'POST /api/workflows/:id/retry': { allowed: 'Write', status: 201, send: endedInstance },
  'POST /api/workflows/:id/cancel': { allowed: 'Write', status: 201, send: oneInstance },
  'POST /api/workflows/:id/tasks/:task/approve': { allowed: 'Write', status: 201, send: oneApproval },
  'GET /api/workflows/:id/tasks/:task/logs': { allowed: 'Read', status: 200, send: oneApproval },
  'GET /api/definitions': { allowed: 'Read', status: 200 },
  'GET /api/definitions/:fullname': { allowed: 'Read', status: 200, send: periodic },
  'GET /api/definitions/faults': { allowed: 'Read', status: 200 },
  'POST /api/definitions/:fullname/pause': { allowed: 'Write', status: 200, send: periodic },
  'POST /api/definitions/:fullname/resume': { allowed: 'Write', status: 200, send: periodic },
  'POST /api/definitions/:fullname/run': { allowed: 'Write', status: 201, send: periodic },
  'POST /api/worker/claim': { allowed: 'Service', status: 200, send: () => ({ body: { worker: 'w' } }) },
  'POST /api/worker/report': { allowed: 'Service', status: 200, send: () => ({ body: { worker: 'w' } }) },
  'GET /services/types': { allowed: 'Service', status: 200 },
  'GET /services/:type': { allowed: 'Service', status: 200, send: () => ({ params: { type: 'api' } }) },
  'POST /services/heartbeat': {
    allowed: 'Service',
    status: 204,
    send: () => ({ body: { type: 'test', name: unique('service') } }),
  },
  // A service that there is not: who may reach it is what counts here.
  'DELETE /services/:type/:name': {
    allowed: 'Service',
    status: 404,
    send: () => ({ params: { type: 'test', name: 'nobody' } }),
  },
  'GET /api/events': { allowed: 'Read', status: 200, isStream: true },
};

/** What the calls of workflows need. */
export const workflowFiles = {
  'workflows.yml': `
test.WAITS: { tasks: [ { SIGN: { type: approval, timeout: 1000 } } ] }
test.DAILY: { periodic: { crontab: "0 0 * * *" }, tasks: [ { SIGN: { type: approval, timeout: 1000 } } ] }`,
};
function periodic() {
  return { params: { fullname: 'test.DAILY' } };
}

async function oneInstance({ app }: World) {
  const { id } = await app.arrange('POST', '/api/workflows', { project: 'test', name: 'WAITS' });
  return { params: { id: id as string } };
}

async function endedInstance(world: World) {
  const call = await oneInstance(world);
  await world.app.arrange('POST', `/api/workflows/${call.params.id}/cancel`);
  // The service may just be looking at its task, and is then asked to stop.
  for (;;) {
    const { finished } = await world.app.arrange('GET', `/api/workflows/${call.params.id}`);
    if (finished !== null) return call;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** As soon as it waits for somebody. */
async function oneApproval(world: World): Promise<Call> {
  const { params } = await oneInstance(world);
  for (;;) {
    const { tasks } = await world.app.arrange('GET', `/api/workflows/${params.id}`);
    if (tasks[0].status === 'progress') return { params: { ...params, task: tasks[0].id as string } };
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function oneNode({ app, team }: World): Promise<Call> {
  await app.arrange('POST', `/v1/teams/${team.id}/graph`, [{ source: { label: 'Server', name: 'one' } }]);
  return { params: { label: 'Server', node: 'one' } };
}

async function oneConfig({ app, team }: World): Promise<Call> {
  const { rules } = await app.arrange('GET', `/v1/teams/${team.id}/rules`);
  if (!rules.some(({ name }: { name: string }) => name === 'Uptime')) {
    await app.arrange('POST', `/v1/teams/${team.id}/rules`, { name: 'Uptime' });
  }
  const { id } = await app.arrange('POST', `/v1/teams/${team.id}/configs`, { Server: { qos: 'rule.Uptime' } });
  return { params: { id } };
}

async function oneIntegration({ app, team }: World): Promise<Call> {
  const body = { name: unique('source'), model: 'prometheus', config: { url: 'http://127.0.0.1:1' } };
  const { id } = await app.arrange('POST', `/v1/teams/${team.id}/integrations`, body);
  return { params: { id } };
}

async function oneSource({ app, team }: World): Promise<{ params: { id: string } }> {
  const { id } = await app.arrange('POST', `/v1/teams/${team.id}/sources`, { name: unique('source'), model: 'push' });
  return { params: { id } };
}

async function oneCheck(world: World): Promise<Call> {
  const { app, team } = world;
  const body = { name: unique('check'), source: (await oneSource(world)).params.id, threshold: 1 };
  const { id } = await app.arrange('POST', `/v1/teams/${team.id}/checks`, body);
  return { params: { id } };
}

async function oneRule({ app, team }: World): Promise<Call> {
  const { id } = await app.arrange('POST', `/v1/teams/${team.id}/rules`, { name: unique('rule') });
  return { params: { id } };
}

const newChannel = (teamId: string) => ({
  team_id: teamId,
  name: unique('channel'),
  type: 'webhook',
  settings: { url: 'http://127.0.0.1:1/' },
  filters: { projects: ['nothing'] },
});

async function oneChannel({ app, team }: World): Promise<Call> {
  const { id } = await app.arrange('POST', '/notification/channels', newChannel(team.id));
  return { params: { channel_id: id } };
}

async function oneDelivery(world: World): Promise<Call> {
  const { params } = await oneChannel(world);
  const { rows } = await world.app.database.pool.query<{ id: string }>(
    `insert into notification_deliveries (team_id, channel_id, event, event_key, content, state, created_at, finished_at)
     values ($1, $2, 'test', 'test', '{"title": "t", "message": "m", "at": "", "data": {}}', 'failed', now(), now()) returning id`,
    [world.team.id, params?.['channel_id']],
  );
  return { params: { delivery_id: rows[0].id } };
}

export function expectedStatus(entry: Expectation, caller: Caller): number {
  const isAllowed = (holders[entry.allowed] as readonly Caller[]).includes(caller); // widened: includes() is strict about literals
  if (isAllowed) return entry.status;
  return caller === 'nobody' ? 401 : 403;
}
