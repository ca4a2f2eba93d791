import { z } from 'zod';
import { actorOf, identityOf } from '../http/authentication.ts';
import { emptyObject, pathId, toSecondsTimestamp } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import { grants, grantsInput, team, teamInput, teamList } from './identity.schemas.ts';
import type { TeamsService } from './teams.service.ts';
import type { Team } from './teams.store.ts';

export function registerTeamRoutes(app: Server, deps: { teams: TeamsService }): void {
  const { teams } = deps;
  const tags = ['Teams'];
  const params = z.object({ team_id: pathId('Team id') });

  app.get('/v1/teams', {
    config: { access: { scope: 'Read' } },
    schema: { tags, summary: 'List the teams you may see', response: { 200: teamList } },
    handler: async (request) => ({ teams: (await teams.list(identityOf(request))).map(toTeam) }),
  });

  app.post('/v1/teams', {
    config: { access: { scope: 'Admin' } },
    schema: { tags, summary: 'Create a team', body: teamInput, response: { 201: team } },
    handler: async (request, reply) =>
      reply.code(201).send(toTeam(await teams.create(request.body.name, actorOf(request)))),
  });

  app.get('/v1/teams/:team_id', {
    config: { access: { scope: 'Read', team: 'member' } },
    schema: { tags, summary: 'One team', params, response: { 200: team } },
    handler: async (request) => toTeam(await teams.get(request.params.team_id)),
  });

  app.patch('/v1/teams/:team_id', {
    config: { access: { scope: 'Write', team: 'manager' } },
    schema: { tags, summary: 'Rename a team', params, body: teamInput, response: { 200: team } },
    handler: async (request) => toTeam(await teams.rename(request.params.team_id, request.body.name, actorOf(request))),
  });

  app.delete('/v1/teams/:team_id', {
    config: { access: { scope: 'Admin', team: 'manager' } },
    schema: { tags, summary: 'Delete a team and everything it owns', params, response: { 200: emptyObject } },
    handler: async (request) => {
      await teams.delete(request.params.team_id, actorOf(request));
      return {};
    },
  });

  app.get('/v1/teams/:team_id/grants', {
    config: { access: { scope: 'Read', team: 'member' } },
    schema: { tags, summary: 'Who may do what in a team', params, response: { 200: grants } },
    handler: async (request) => ({ grants: await teams.listGrants(request.params.team_id) }),
  });

  app.put('/v1/teams/:team_id/grants', {
    config: { access: { scope: 'Write', team: 'manager' } },
    schema: { tags, summary: 'Replace all grants of a team', params, body: grantsInput, response: { 200: grants } },
    handler: async (request) => ({
      grants: await teams.replaceGrants(request.params.team_id, request.body.grants, actorOf(request)),
    }),
  });
}

function toTeam(team: Team) {
  return {
    id: team.id,
    name: team.name,
    createdAt: toSecondsTimestamp(team.created_at),
    updatedAt: toSecondsTimestamp(team.updated_at),
  };
}
