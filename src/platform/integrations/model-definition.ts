import { badRequest, type ErrorDetail } from '../../errors.ts';
import { compilePayloadSchema } from '../../workflows/definitions/payload-schema.ts';
import { type IntegrationModel, jsTypeOf, type NewModel } from './models.schemas.ts';

/** What the database keeps of a model that an administrator made. */
export type ModelDefinition = Omit<IntegrationModel, 'name' | 'builtin' | 'disabled'>;

const maxSchemaDepth = 32;
const maxSchemaText = 64 * 1024;

/** Fills in what was left out. Throws a 400 that names every fault of the schema. */
export function defineModel(name: string, given: Omit<NewModel, 'name'>): ModelDefinition {
  const defaultConfig = Object.fromEntries(
    Object.entries(given.default_config).map(([key, { value, type, description }]) => [
      key,
      { value: value ?? '', type, description },
    ]),
  );
  const schema = given.config_schema ?? schemaOf(defaultConfig);
  const faults = schemaFaults(schema);
  if (faults.length > 0) throw badRequest('The JSON Schema in "config_schema" cannot be used.', faults.slice(0, 100));
  return {
    title: given.title ?? name,
    description: given.description,
    version: given.version,
    author: given.author,
    icon: given.icon,
    docs_url: given.docs_url,
    capabilities: [...new Set(given.capabilities)],
    default_config: defaultConfig,
    config_schema: schema,
  };
}

/** The plainest schema of such settings: their types, and nothing else beside them. */
function schemaOf(settings: ModelDefinition['default_config']): Record<string, unknown> {
  const properties = Object.entries(settings).map(([key, { type, description }]) => [
    key,
    { type: jsTypeOf(type), description, ...(type === 'password' ? { format: 'password' } : {}) },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

function schemaFaults(schema: Record<string, unknown>): ErrorDetail[] {
  if (!isShallow(schema)) return refuse(`must not be nested deeper than ${maxSchemaDepth}`);
  const text = JSON.stringify(schema);
  if (text.length > maxSchemaText) return refuse(`must not be longer than ${maxSchemaText} characters`);
  if (/\\u(0000|d[89a-f])/i.test(text)) return refuse('must be text without control characters');
  const outcome = compilePayloadSchema(schema as Parameters<typeof compilePayloadSchema>[0]); // it came as JSON
  if (!('faults' in outcome)) return [];
  return outcome.faults.map(({ path, message }) => ({ path: ['config_schema', ...path].join('.'), message }));
}

const refuse = (message: string): ErrorDetail[] => [{ path: 'config_schema', message }];

/** Without recursion: the depth is what is in question. */
function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxSchemaDepth) return false;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return true;
}
