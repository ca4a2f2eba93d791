import { z } from 'zod';
import { notFound } from '../errors.ts';
import { actorOf } from '../http/authentication.ts';
import { emptyObject, isUuid, pathId } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import { newRule, rule, ruleChange, ruleChecks, ruleList } from './qos-settings.schemas.ts';
import type { RulesService } from './rules.service.ts';
import type { RuleRow } from './rules.store.ts';

export function registerRuleRoutes(app: Server, { rules }: { rules: RulesService }): void {
  const tags = ['Quality of service'];
  const params = z.object({ team_id: pathId('Team id') });
  const one = params.extend({ id: pathId('Rule id') });
  const reads = { access: { scope: 'Read', team: 'member' } } as const;
  const writes = { access: { scope: 'Write', team: 'editor' } } as const;

  app.get('/v1/teams/:team_id/rules', {
    config: reads,
    schema: { tags, summary: 'All rules with their checks, by name', params, response: { 200: ruleList } },
    handler: async ({ params }) => ({ rules: (await rules.list(params.team_id)).map(toRule) }),
  });

  app.post('/v1/teams/:team_id/rules', {
    config: writes,
    schema: { tags, summary: 'A new rule, without checks yet', params, body: newRule, response: { 201: rule } },
    handler: async (request, reply) =>
      reply.code(201).send(toRule(await rules.create(request.params.team_id, request.body, actorOf(request)))),
  });

  app.get('/v1/teams/:team_id/rules/:id', {
    config: reads,
    schema: { tags, summary: 'One rule', params: one, response: { 200: rule } },
    handler: async ({ params }) => toRule(await rules.get(params.team_id, ruleIdOf(params.id))),
  });

  app.put('/v1/teams/:team_id/rules/:id', {
    config: writes,
    schema: {
      tags,
      summary: 'Change a rule; what is left out stays',
      params: one,
      body: ruleChange,
      response: { 200: rule },
    },
    handler: async (request) => {
      const { team_id, id } = request.params;
      return toRule(await rules.update(team_id, ruleIdOf(id), request.body, actorOf(request)));
    },
  });

  app.put('/v1/teams/:team_id/rules/:id/checks', {
    config: writes,
    schema: {
      tags,
      summary: 'Which checks a rule is made of',
      params: one,
      body: ruleChecks,
      response: { 200: rule },
    },
    handler: async (request) => {
      const { team_id, id } = request.params;
      return toRule(await rules.setChecks(team_id, ruleIdOf(id), request.body.checks, actorOf(request)));
    },
  });

  app.delete('/v1/teams/:team_id/rules/:id', {
    config: writes,
    schema: {
      tags,
      summary: 'Delete a rule that the current configuration does not use',
      params: one,
      response: { 200: emptyObject },
    },
    handler: async (request) => {
      await rules.delete(request.params.team_id, ruleIdOf(request.params.id), actorOf(request));
      return {};
    },
  });
}

export function ruleIdOf(id: string): string {
  if (!isUuid(id)) throw notFound('There is no such rule; GET …/rules lists them.');
  return id;
}

function toRule(row: RuleRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    variables: row.variables,
    checks: row.checks,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
