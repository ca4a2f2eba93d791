import { z } from 'zod';
import { lineOfText, timestamp } from '../../http/schemas.ts';
import { settingValue } from './models.schemas.ts';

/** Stands in answers where a password is set; sent back, it keeps that password. */
export const passwordPlaceholder = '**********';

export const integration = z
  .object({
    id: z.uuid(),
    name: z.string(),
    model: z.string(),
    config: z.record(z.string(), settingValue).meta({
      description: `Passwords are shown as "${passwordPlaceholder}"`,
    }),
    created_at: timestamp,
    updated_at: timestamp,
    created_by: z.string(),
  })
  .meta({ id: 'Integration' });

export const integrationList = z.object({ integrations: z.array(integration) });

const config = z.record(z.string(), settingValue);

export const newIntegration = z.object({ name: lineOfText(100), model: z.string(), config: config.default({}) });

export const integrationChange = z.object({
  name: lineOfText(100).optional(),
  model: z.string().optional(),
  config: config.meta({
    description: `The whole configuration; "${passwordPlaceholder}" keeps a password as it is`,
  }),
});

export const integrationTest = z
  .object({ ok: z.boolean(), message: z.string(), took_ms: z.number() })
  .meta({ id: 'IntegrationTest' });
