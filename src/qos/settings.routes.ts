import { z } from 'zod';
import { actorOf } from '../http/authentication.ts';
import { pathId } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import { qosSettings, qosSettingsChange } from './qos-settings.schemas.ts';
import type { SettingsService } from './settings.service.ts';

export function registerSettingsRoutes(app: Server, { settings }: { settings: SettingsService }): void {
  const tags = ['Quality of service'];
  const params = z.object({ team_id: pathId('Team id') });

  app.get('/v1/teams/:team_id/qos/settings', {
    config: { access: { scope: 'Read', team: 'member' } },
    schema: { tags, summary: 'What holds for all rules of the team', params, response: { 200: qosSettings } },
    handler: ({ params }) => settings.get(params.team_id),
  });

  app.put('/v1/teams/:team_id/qos/settings', {
    config: { access: { scope: 'Write', team: 'manager' } },
    schema: {
      tags,
      summary: 'Change it; what is left out stays',
      params,
      body: qosSettingsChange,
      response: { 200: qosSettings },
    },
    handler: (request) => settings.update(request.params.team_id, request.body, actorOf(request)),
  });
}
