import { z } from 'zod';
import { pathId } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import { execution, executionResult } from './qos-settings.schemas.ts';
import type { RuleExecutionService } from './rule-execution.service.ts';
import { ruleIdOf } from './rules.routes.ts';

export function registerRuleExecutionRoutes(
  app: Server,
  { execution: executions }: { execution: RuleExecutionService },
): void {
  app.post('/v1/teams/:team_id/rules/:id/execute', {
    config: { access: { scope: 'Write', team: 'editor' } },
    schema: {
      tags: ['Quality of service'],
      summary: 'Try a rule out on one node: what its checks find, and what comes of it',
      description: 'Nothing is kept. A source that fails is told as `failure` of its checks.',
      params: z.object({ team_id: pathId('Team id'), id: pathId('Rule id') }),
      body: execution,
      response: { 200: executionResult },
    },
    handler: ({ params, body }) => executions.execute(params.team_id, ruleIdOf(params.id), body),
  });
}
