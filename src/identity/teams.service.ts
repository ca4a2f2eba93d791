import { badRequest, notFound } from '../errors.ts';
import type { Actor, Identity } from './access.ts';
import type { Team, TeamGrant, TeamsStore } from './teams.store.ts';

export type TeamsService = ReturnType<typeof createTeamsService>;

export function createTeamsService(deps: {
  store: TeamsStore;
  authentication: { forget(): void };
  /** What else has to let go of a deleted team. */
  onDeleted: (teamId: string) => Promise<void>;
}) {
  const { store, authentication } = deps;
  return {
    /** The teams that this identity may see. */
    async list(identity: Identity): Promise<Team[]> {
      const teams = await store.list();
      return identity.isAdmin ? teams : teams.filter((team) => identity.grants.has(team.id));
    },

    async get(id: string): Promise<Team> {
      const team = await store.find(id);
      if (!team) throw unknownTeam();
      return team;
    },

    create: (name: string, actor: Actor) => store.create(name, actor),

    async rename(id: string, name: string, actor: Actor): Promise<Team> {
      const team = await store.rename(id, name, actor);
      if (!team) throw unknownTeam();
      authentication.forget();
      return team;
    },

    async delete(id: string, actor: Actor): Promise<void> {
      if (!(await store.delete(id, actor))) throw unknownTeam();
      authentication.forget();
      await deps.onDeleted(id);
    },

    listGrants: (teamId: string) => store.listGrants(teamId),

    async replaceGrants(teamId: string, grants: TeamGrant[], actor: Actor): Promise<TeamGrant[]> {
      const outcome = await store.replaceGrants(teamId, grants, actor);
      if (!outcome) throw unknownTeam();
      const { unknown } = outcome;
      if (unknown.length > 0) {
        const details = unknown.map((name) => ({
          path: `grants.${grants.findIndex((grant) => grant.user === name)}.user`,
          message: `no user is named "${name}"`,
        }));
        throw badRequest(
          `No user is named ${unknown.map((name) => `"${name}"`).join(', ')}; nothing was changed.`,
          details,
        );
      }
      authentication.forget();
      return store.listGrants(teamId);
    },
  };
}

const unknownTeam = () => notFound('There is no such team; GET /v1/teams lists yours.');
