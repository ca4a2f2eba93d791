/** The part of JSON Schema from which forms are made. What is not understood becomes a field of raw JSON, so that nothing is out of reach. */
export type JsonSchema = {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  definitions?: Record<string, JsonSchema>;
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  writeOnly?: boolean;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
};

export type Kind =
  | 'text'
  | 'long-text'
  | 'secret'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'choice'
  | 'number-or-text'
  | 'map'
  | 'list'
  | 'object'
  | 'json';

const longTextFrom = 2500;

/** Follows references inside the document, and takes "this or null" and "this or empty text" as this. */
export function resolveSchema(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  const reference = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(schema.$ref ?? '');
  if (reference && depth < 20) {
    const [, place = '', name = ''] = reference;
    const target = (place === '$defs' ? root.$defs : root.definitions)?.[decodeURIComponent(name)];
    return target ? resolveSchema({ ...target, ...withoutReference(schema) }, root, depth + 1) : {};
  }
  const branches = (schema.anyOf ?? schema.oneOf)?.filter((branch) => branch.type !== 'null' && !isEmptyText(branch));
  if (branches?.length === 1 && branches[0] && depth < 20) {
    const { anyOf: _any, oneOf: _one, ...rest } = schema;
    return resolveSchema({ ...branches[0], ...rest }, root, depth + 1);
  }
  return schema;
}

const isEmptyText = ({ enum: choices, const: only }: JsonSchema): boolean =>
  only === '' || (choices?.length === 1 && choices[0] === '');

export function kindOf(schema: JsonSchema): Kind {
  if (schema.enum?.every((value) => typeof value === 'string' || typeof value === 'number')) return 'choice';
  const branches = [schema.type ?? (schema.anyOf ?? []).map(({ type }) => type ?? '')];
  const types = branches.flat(2).filter((type) => type !== 'null');
  if (types.length === 2 && types.includes('string') && types.includes('number')) return 'number-or-text';
  if (types.length !== 1) return schema.properties ? 'object' : 'json';
  switch (types[0]) {
    case 'string':
      if (schema.format === 'password' || schema.writeOnly) return 'secret';
      return schema.format === 'text' || (schema.maxLength ?? 0) > longTextFrom ? 'long-text' : 'text';
    case 'integer':
    case 'number':
    case 'boolean':
      return types[0];
    case 'array':
      return schema.items ? 'list' : 'json';
    case 'object':
      return schema.properties ? 'object' : isMap(schema) ? 'map' : 'json';
    default:
      return 'json';
  }
}

/** Texts by name, under any name. */
const isMap = ({ additionalProperties: values }: JsonSchema): boolean =>
  typeof values === 'object' && ['text', 'long-text'].includes(kindOf(resolveSchema(values, values)));

/** What a new value begins with: the defaults, and nothing where there are none. */
export function defaultOf(given: JsonSchema, root: JsonSchema = given): unknown {
  const schema = resolveSchema(given, root);
  if (schema.default !== undefined) return schema.default;
  if (kindOf(schema) !== 'object') return undefined;
  const entries = Object.entries(schema.properties ?? {}).map(([key, part]) => [key, defaultOf(part, root)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** `step_seconds` → "Step seconds"; a title of its own wins. */
export function labelOf(key: string, schema: JsonSchema): string {
  const words =
    schema.title ??
    key
      .replaceAll(/[_-]+/g, ' ')
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase();
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\burl\b/gi, 'URL');
}

function withoutReference(schema: JsonSchema): JsonSchema {
  const { $ref: _, ...rest } = schema;
  return rest;
}
