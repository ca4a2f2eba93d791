import { z } from 'zod';
import { badRequest, notFound } from '../errors.ts';
import { actorOf } from '../http/authentication.ts';
import { emptyObject, pathId } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { ObjectivesService, ObjectiveWithBudget } from './objectives.service.ts';
import { objective, objectiveChange, objectiveLabel, objectiveList } from './qos-settings.schemas.ts';

export function registerObjectiveRoutes(app: Server, { objectives }: { objectives: ObjectivesService }): void {
  const tags = ['Quality of service'];
  const params = z.object({ team_id: pathId('Team id') });
  const one = params.extend({ label: z.string().meta({ description: 'A label' }) });
  const writes = { access: { scope: 'Write', team: 'editor' } } as const;

  app.get('/v1/teams/:team_id/qos/objectives', {
    config: { access: { scope: 'Read', team: 'member' } },
    schema: {
      tags,
      summary: 'What labels should reach, and their error budgets up to yesterday',
      params,
      response: { 200: objectiveList },
    },
    handler: async ({ params }) => ({ objectives: (await objectives.list(params.team_id)).map(toObjective) }),
  });

  app.put('/v1/teams/:team_id/qos/objectives/:label', {
    config: writes,
    schema: {
      tags,
      summary: 'Set the objective of a label',
      params: one,
      body: objectiveChange,
      response: { 200: objective },
    },
    handler: async (request) => {
      const { team_id, label } = request.params;
      const parsed = objectiveLabel.safeParse(label);
      if (!parsed.success) {
        throw badRequest('This is no label.', [{ path: 'label', message: parsed.error.issues[0].message }]);
      }
      const { target, window_days } = request.body;
      return toObjective(await objectives.write(team_id, label, { target, windowDays: window_days }, actorOf(request)));
    },
  });

  app.delete('/v1/teams/:team_id/qos/objectives/:label', {
    config: writes,
    schema: { tags, summary: 'Delete the objective of a label', params: one, response: { 200: emptyObject } },
    handler: async (request) => {
      const { team_id, label } = request.params;
      // Nothing else can have one, and not all of it is text for the database.
      if (!objectiveLabel.safeParse(label).success) throw notFound('The label has no objective.');
      await objectives.delete(team_id, label, actorOf(request));
      return {};
    },
  });
}

function toObjective({ label, target, window_days, updated_at, budget }: ObjectiveWithBudget) {
  return {
    label,
    target,
    window_days,
    updated_at: updated_at.toISOString(),
    budget: {
      from: budget.from,
      to: budget.to,
      known_days: budget.knownDays,
      value: budget.value,
      met: budget.isMet,
      allowed_minutes: budget.allowedMinutes,
      spent_minutes: budget.spentMinutes,
      left_percent: budget.leftPercent,
      burn_rate: {
        last_day: budget.burnRate.lastDay,
        last_week: budget.burnRate.lastWeek,
        window: budget.burnRate.window,
      },
    },
  };
}
