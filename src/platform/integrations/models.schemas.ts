import { z } from 'zod';
import { lineOfText, longText } from '../../http/schemas.ts';

export const settingTypes = ['string', 'text', 'password', 'boolean', 'number'] as const;

export const settingValue = z.union([z.string(), z.boolean(), z.number()]);

const setting = z
  .object({
    value: settingValue.meta({ description: 'The default; of a password always ""' }),
    type: z.enum(settingTypes),
    description: z.string(),
  })
  .meta({ id: 'IntegrationSetting' });

const jsonSchema = z
  .record(z.string(), z.unknown())
  .meta({ description: 'JSON Schema (draft 2020-12) of the configuration' });

export const integrationModel = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    version: z.string(),
    author: z.string(),
    icon: z.string().meta({ description: 'The name of an icon, or the address of an image' }),
    docs_url: z.string().nullable(),
    builtin: z.boolean(),
    disabled: z.boolean().meta({ description: 'No new integrations, and existing ones rest' }),
    capabilities: z.array(z.string()).meta({
      description:
        'What it is for (`metrics`, `graph-import`, `notify`), and after `protocol:` which built-in integration speaks to it',
    }),
    default_config: z.record(z.string(), setting),
    config_schema: jsonSchema,
  })
  .meta({ id: 'IntegrationModel' });

export const integrationModelList = z.array(integrationModel);

export type IntegrationModel = z.infer<typeof integrationModel>;

const anyLine = (max: number) => z.union([z.literal(''), lineOfText(max)]);
const modelName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,62}$/, 'must be 1 to 63 small letters, digits and hyphens, the first a letter');
const settingName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/, 'must be small letters, digits and underscores, the first a letter');
const capability = z.string().regex(/^[a-z][a-z0-9:.-]{0,62}$/, 'must be small letters, digits, ":", "." and "-"');

const newSetting = z
  .object({
    value: z.union([z.union([z.literal(''), longText(20_000)]), z.boolean(), z.number()]).optional(),
    type: z.enum(settingTypes),
    description: anyLine(1000).default(''),
  })
  .refine(({ type, value }) => type !== 'password' || value === undefined || value === '', {
    path: ['value'],
    message: 'must be empty: a model is read by everybody, passwords belong to integrations',
  })
  .refine(({ type, value }) => value === undefined || value === '' || typeof value === jsTypeOf(type), {
    path: ['value'],
    message: 'must be of the type that "type" says',
  });

const modelBody = z.object({
  title: lineOfText(200).optional(),
  description: z.union([z.literal(''), longText(4000)]).default(''),
  version: anyLine(50).default('1.0.0'),
  author: anyLine(200).default(''),
  icon: anyLine(2000).default(''),
  docs_url: z.union([webAddress(), z.null()]).default(null),
  disabled: z.boolean().default(false),
  capabilities: z.array(capability).max(20).default([]),
  default_config: z
    .record(settingName, newSetting)
    .refine((settings) => Object.keys(settings).length <= 50, 'must have at most 50 settings')
    .default({}),
  config_schema: z.record(z.string(), z.unknown()).optional().meta({
    description: 'Made from `default_config` unless given',
  }),
});

export const newIntegrationModel = modelBody.extend({ name: modelName });

/** Either the whole model anew, or only the switch, which built-in models have too. */
export const integrationModelChange = z.union([
  z.strictObject({ disabled: z.boolean() }),
  modelBody.extend({ default_config: modelBody.shape.default_config.unwrap(), name: modelName.optional() }),
]);

export type NewModel = z.infer<typeof newIntegrationModel>;
export type ModelChange = z.infer<typeof integrationModelChange>;

export function jsTypeOf(type: (typeof settingTypes)[number]): 'string' | 'boolean' | 'number' {
  return type === 'boolean' || type === 'number' ? type : 'string';
}

function webAddress() {
  return lineOfText(2000).refine(
    (text) => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''),
    'must be an address that begins with http:// or https://',
  );
}
