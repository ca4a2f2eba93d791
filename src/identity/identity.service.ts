import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database, Log } from '../db/open.ts';
import type { createRevisionWatch } from '../db/revisions.ts';
import { createAuthenticationFailures, registerAuthentication } from '../http/authentication.ts';
import type { Server } from '../http/server.ts';
import { registerAuditRoutes } from './audit.routes.ts';
import { createAuditStore } from './audit.store.ts';
import { createAuthenticationService } from './authentication.service.ts';
import { createAuthenticationStore } from './authentication.store.ts';
import { adminName, prepareFirstStart } from './first-start.service.ts';
import { registerOidcRoutes } from './oidc.routes.ts';
import { createOidcService } from './oidc.service.ts';
import { createRemoteUserLookup } from './remote-user.service.ts';
import { registerSessionRoutes } from './session.routes.ts';
import { createSessionsService } from './sessions.service.ts';
import { createSessionsStore } from './sessions.store.ts';
import { registerTeamRoutes } from './teams.routes.ts';
import { createTeamsService } from './teams.service.ts';
import { createTeamsStore } from './teams.store.ts';
import { createTokensService } from './tokens.service.ts';
import { createTokensStore } from './tokens.store.ts';
import { registerUserRoutes } from './users.routes.ts';
import { createUsersService } from './users.service.ts';
import { createUsersStore } from './users.store.ts';

export type LentToken = { token: string; giveBack(): void };

const recordUsesEveryMs = 10_000;

/** Who somebody is and what they may do: users, tokens, sessions, teams, put together. */
export function createIdentity(deps: {
  db: Database['db'];
  config: Pick<Config, 'oidc' | 'publicUrl' | 'adminToken' | 'trustedProxies' | 'rateLimitPerMinute'>;
  revisions: ReturnType<typeof createRevisionWatch>;
  onTeamDeleted: (teamId: string) => Promise<void>;
  clock: Clock;
  log: Log;
}) {
  const { db, config, revisions, clock, log } = deps;
  const isSecure = config.publicUrl?.startsWith('https:') ?? false;
  const usersStore = createUsersStore(db);
  const tokensStore = createTokensStore(db);
  const teamsStore = createTeamsStore(db);
  const authentication = createAuthenticationService({
    store: createAuthenticationStore(db),
    teams: teamsStore,
    tokens: tokensStore,
    revisions,
    clock,
  });
  const users = createUsersService({ store: usersStore, authentication });
  const tokens = createTokensService({ store: tokensStore, users, authentication, clock, randomBytes });
  const sessions = createSessionsService({ store: createSessionsStore(db), authentication, clock, randomBytes });
  const teams = createTeamsService({ store: teamsStore, authentication, onDeleted: deps.onTeamDeleted });
  const oidc =
    config.oidc &&
    createOidcService({
      settings: config.oidc,
      redirectUri: `${config.publicUrl}/auth/oidc/callback`,
      users: usersStore,
    });
  const failures = createAuthenticationFailures(clock);

  const useRecorder = setInterval(() => {
    authentication
      .recordUses()
      .catch((error: unknown) => log.warn({ err: error }, 'when tokens were used could not be written'));
  }, recordUsesEveryMs).unref();

  return {
    authentication,
    findTeamId: async (nameOrId: string): Promise<string | undefined> =>
      (await teamsStore.list()).find(({ id, name }) => id === nameOrId || name === nameOrId)?.id,

    /** The user `admin` and the secret of a way in, where one may be printed. */
    async prepareFirstStart({ isAlone }: { isAlone: boolean }): Promise<string | undefined> {
      const stores = { users: usersStore, tokens: tokensStore };
      const { admin, createdToken } = await prepareFirstStart({
        ...stores,
        randomBytes,
        adminToken: config.adminToken,
      });
      // A process that has the database to itself has one operator in front of it: every start prints a way in.
      return createdToken ?? (admin && isAlone ? sessions.createSignInCode(admin) : undefined);
    },

    /** Lets this process call itself as the user `admin`, with a token that is written nowhere; undefined where there is no such user. */
    async lendAdminToken(): Promise<LentToken | undefined> {
      const identity = await authentication.findByUserName(adminName);
      if (!identity) return undefined;
      const token = randomBytes(32).toString('base64url');
      return { token, giveBack: authentication.trustOwnUser(token, identity) };
    },

    /** Before any route: every route says who may use it. */
    guard(server: Server): void {
      const { trustedProxies, rateLimitPerMinute } = config;
      const findRemoteUser = createRemoteUserLookup({ authentication, users: usersStore });
      registerAuthentication(server, {
        authentication,
        findRemoteUser,
        failures,
        trustedProxies,
        rateLimitPerMinute,
        clock,
      });
    },

    registerRoutes(server: Server): void {
      registerUserRoutes(server, { users, tokens });
      registerSessionRoutes(server, { sessions, failures, isSecure });
      registerOidcRoutes(server, { oidc, sessions, isSecure });
      registerTeamRoutes(server, { teams });
      registerAuditRoutes(server, { audit: createAuditStore(db) });
    },

    async close(): Promise<void> {
      clearInterval(useRecorder);
      await authentication.recordUses().catch(() => undefined);
    },
  };
}
