import type { DefinitionDetail } from '../../../src/workflows/workflows.schemas.ts';
import { defaultOf, type JsonSchema, kindOf, resolveSchema } from '../design/json-schema.ts';

type Payload = Record<string, unknown>;

/** The schema, if a form can be made of it: an object whose fields are known. */
export function formSchemaOf(schema: unknown): JsonSchema | undefined {
  if (!isObject(schema)) return undefined;
  const resolved = resolveSchema(schema, schema);
  const isForm = kindOf(resolved) === 'object' && Object.keys(resolved.properties ?? {}).length > 0;
  return isForm ? schema : undefined;
}

/** What the form begins with: what the schedule would give, or the defaults of the schema. */
export function firstPayload({
  periodic,
  payload_schema: schema,
}: Pick<DefinitionDetail, 'periodic' | 'payload_schema'>): Payload {
  const defaults = isObject(schema) ? defaultOf(schema) : {};
  return { ...(isObject(defaults) ? defaults : {}), ...periodic?.payload };
}

export function readPayload(text: string): { payload: Payload } | { fault: string } {
  if (text.trim() === '') return { payload: {} };
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { payload: value } : { fault: 'A payload is an object, such as { "id": 1 }.' };
  } catch (error) {
    return { fault: `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}` };
  }
}

const isObject = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
