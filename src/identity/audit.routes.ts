import { z } from 'zod';
import { isUuid, queryInteger, queryText } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { AuditRow, AuditStore } from './audit.store.ts';
import { auditPage } from './identity.schemas.ts';

const pageLimit = 1000;

export function registerAuditRoutes(app: Server, deps: { audit: AuditStore }): void {
  app.get('/v1/audit', {
    config: { access: { scope: 'Admin' } },
    schema: {
      tags: ['Audit'],
      summary: 'Every change: who, what, when, from where; newest first',
      querystring: z.object({
        limit: queryInteger(`How many entries, ${pageLimit} at most; 100 unless told`).optional(),
        before: queryInteger('Only entries with a smaller id: `next_before` of the page before').optional(),
        action: queryText('Only this action, such as token.create').optional(),
        user: queryText('Only what the user of this name did').optional(),
        team_id: queryText('Only what concerns this team').optional(),
      }),
      response: { 200: auditPage },
    },
    handler: async (request) => {
      const { before, action, user, team_id: teamId } = request.query;
      const limit = Math.min(request.query.limit ?? 100, pageLimit);
      const isAbsent = limit === 0 || (teamId !== undefined && !isUuid(teamId));
      // One more than asked for tells whether there is a next page.
      const rows = isAbsent ? [] : await deps.audit.list({ before, action, user, teamId, limit: limit + 1 });
      const entries = rows.slice(0, limit).map(toEntry);
      return { entries, next_before: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
    },
  });
}

function toEntry(row: AuditRow) {
  return {
    id: Number(row.id),
    at: row.at.toISOString(),
    user: row.actor_name,
    user_id: row.actor_id,
    action: row.action,
    target: row.target,
    team_id: row.team_id,
    details: row.details,
    address: row.address,
    request_id: row.request_id,
  };
}
