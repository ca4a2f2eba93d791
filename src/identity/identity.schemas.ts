import { z } from 'zod';
import { lineOfText, secondsTimestamp, timestamp } from '../http/schemas.ts';
import { roles, scopes } from './access.ts';

export const scopeName = z.enum(scopes);
export const roleName = z.enum(roles);
const scopeList = z
  .array(scopeName)
  .min(1, 'must name at least one scope')
  .max(scopes.length)
  .transform((list) => [...new Set(list)]);

export const user = z
  .object({ id: z.uuid(), name: z.string(), createdAt: secondsTimestamp, updatedAt: secondsTimestamp })
  .meta({ id: 'User' });
export const userList = z.object({ users: z.array(user) });

export const administeredUser = user
  .extend({ admin: z.boolean(), disabled: z.boolean() })
  .meta({ id: 'AdministeredUser' });

export const administeredUserList = z.object({ users: z.array(administeredUser) });

export const currentUser = user
  .extend({
    admin: z.boolean(),
    scopes: z.array(scopeName).meta({ description: 'What the credential of this request may do' }),
    grants: z.record(z.string(), roleName).meta({ description: 'Role by team name' }),
  })
  .meta({ id: 'CurrentUser' });

export const userName = lineOfText(255);
export const newUser = z.object({ name: userName, admin: z.boolean().optional() });
export const userChange = z
  .object({ disabled: z.boolean().optional(), admin: z.boolean().optional() })
  .refine((change) => change.disabled !== undefined || change.admin !== undefined, 'must have "disabled" or "admin"');

export const token = z
  .object({
    id: z.uuid(),
    name: z.string(),
    prefix: z.string().meta({ description: 'The public part of the token, to recognise it by' }),
    scopes: z.array(scopeName),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable().meta({ description: 'To the minute' }),
  })
  .meta({ id: 'Token' });
export const tokenList = z.object({ tokens: z.array(token) });
export const createdToken = token
  .extend({ token: z.string().meta({ description: 'The token itself: shown here once and never again' }) })
  .meta({ id: 'CreatedToken' });
export const newToken = z.object({
  name: lineOfText(255),
  scopes: scopeList,
  expires_at: z.iso
    .datetime({ offset: true, message: 'must be a time such as 2027-01-31T12:00:00Z' })
    .transform((text) => new Date(text))
    .nullish(),
});

export const team = z
  .object({ id: z.uuid(), name: z.string(), createdAt: secondsTimestamp, updatedAt: secondsTimestamp })
  .meta({ id: 'Team' });
export const teamList = z.object({ teams: z.array(team) });
export const teamInput = z.object({ name: lineOfText(255) });

export const grants = z
  .object({ grants: z.array(z.object({ user: z.string(), role: roleName })).max(10_000) })
  .meta({ id: 'Grants' });
export const grantsInput = z
  .object({ grants: z.array(z.object({ user: userName, role: roleName })).max(10_000) })
  .refine(
    ({ grants }) => new Set(grants.map((grant) => grant.user)).size === grants.length,
    'must name each user once',
  );

export const session = z
  .object({
    user: z.object({ id: z.uuid(), name: z.string(), admin: z.boolean() }),
    csrf_token: z
      .string()
      .nullable()
      .meta({ description: 'To be sent as X-CSRF-Token with every change; null where no cookie is used' }),
    expires_at: timestamp.nullable(),
  })
  .meta({ id: 'Session' });
export const sessionInput = z.object({ token: z.string().min(1).max(1000) });

export const auditEntry = z
  .object({
    id: z.number().int(),
    at: timestamp,
    user: z.string(),
    user_id: z.uuid().nullable(),
    action: z.string(),
    target: z.string(),
    team_id: z.uuid().nullable(),
    details: z.record(z.string(), z.unknown()),
    address: z.string().nullable(),
    request_id: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' });
export const auditPage = z.object({
  entries: z.array(auditEntry),
  next_before: z.number().int().nullable().meta({ description: 'Give it as `before` to read on; null at the end' }),
});
