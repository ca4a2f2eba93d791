import { z } from 'zod';
import { isUuid, lineOfText, timestamp } from '../../http/schemas.ts';
import { channelTypeNames } from './channel-types.ts';
import { policies } from './event.ts';

const policy = z.enum(policies);
const globs = z.array(lineOfText(300)).max(100);

/** Globs: `*` is any text, `?` any one character. */
const filters = z.strictObject({
  projects: globs.optional().meta({ description: 'Projects of workflows' }),
  workflows: globs.optional().meta({ description: 'Workflows as project.NAME, such as shop.*' }),
  services: globs.optional().meta({ description: 'Types of services' }),
  labels: globs.optional().meta({ description: 'Labels whose quality of service is watched' }),
});

const teamId = z
  .string()
  .refine(isUuid, 'must be the id of a team; GET /v1/teams lists yours')
  .transform((id) => id.toLowerCase())
  .meta({ format: 'uuid' });

const fields = {
  name: lineOfText(100),
  type: z.enum(channelTypeNames),
  settings: z
    .record(z.string().max(100), z.unknown())
    .meta({ description: 'As GET /notification/type describes them' }),
  filters: filters.default({}),
  on_success: policy.default('change'),
  on_failure: policy.default('always'),
  on_start: policy.default('never'),
  enabled: z.boolean().default(true),
};

export const newChannel = z.object({ team_id: teamId, ...fields });
export const changedChannel = z.object({ team_id: teamId.optional(), ...fields });
export type ChannelInput = Omit<z.infer<typeof newChannel>, 'team_id'>;

export const channelAnswer = z
  .object({
    id: z.uuid(),
    team_id: z.uuid(),
    ...fields,
    settings: z.record(z.string(), z.unknown()).meta({ description: 'Secrets show as **********' }),
    filters,
    on_success: policy,
    on_failure: policy,
    on_start: policy,
    enabled: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'NotificationChannel' });
export const channelList = z.object({ channels: z.array(channelAnswer) });
export const testAnswer = z.object({ ok: z.boolean(), message: z.string() });

export const deliveryStates = ['pending', 'sent', 'failed'] as const;
export const deliveryAnswer = z
  .object({
    id: z.uuid(),
    number: z.int().meta({ description: 'Grows with every delivery: what `before` is compared with' }),
    team_id: z.uuid(),
    channel_id: z.uuid(),
    event: z.string(),
    title: z.string(),
    state: z.enum(deliveryStates),
    attempts: z.int(),
    next_attempt: timestamp.nullable(),
    last_error: z.string().nullable(),
    response_status: z.int().nullable(),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'NotificationDelivery' });
export const deliveryPage = z.object({ deliveries: z.array(deliveryAnswer), next_before: z.int().nullable() });

export const channelTypeAnswer = z.record(
  z.string(),
  z.object({
    title: z.string(),
    description: z.string(),
    settings: z.record(z.string(), z.unknown()).meta({ description: 'What a new channel begins with' }),
    on_success: policy,
    on_failure: policy,
    on_start: policy,
    config_schema: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of the settings' }),
  }),
);
