import { createContext, Script } from 'node:vm';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ErrorDetail } from '../../errors.ts';
import type { Json } from '../plan.ts';

export type PayloadValidator = {
  /** Every complaint, none when the payload fits. */
  validate(payload: Json): ErrorDetail[];
};

export type SchemaFault = { path: string[]; message: string };

/**
 * A JSON Schema of draft 2020-12, or of draft-07 if `$schema` says so or if it only makes sense as one (many older files name no draft).
 *
 * Schemas come from the operator, payloads from anybody, so a careless `pattern` must not become an endless loop: schemas with keywords
 * that may take long run under a time limit that interrupts regular expressions too.
 */
export function compilePayloadSchema(schema: Json): PayloadValidator | { faults: SchemaFault[] } {
  const key = JSON.stringify(schema);
  const known = compiled.get(key);
  if (known) return known;
  const result = compileAnew(schema);
  // Both drafts' validators are a few kilobytes; a home has some dozens.
  if (compiled.size >= 1000) compiled.clear();
  compiled.set(key, result);
  return result;
}

const compiled = new Map<string, PayloadValidator | { faults: SchemaFault[] }>();

/** Payloads are checked while a client waits. */
const timeLimitMs = 250;

const options: Options = { allErrors: true, strict: false, logger: false, validateFormats: true, verbose: false };

function compileAnew(schema: Json): PayloadValidator | { faults: SchemaFault[] } {
  if (typeof schema === 'object' && schema !== null && '$async' in schema) {
    return { faults: [{ path: ['$async'], message: 'A payload schema cannot be asynchronous; remove "$async".' }] };
  }
  const draft = typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? schema['$schema'] : undefined;
  const isOld = typeof draft === 'string' && /draft-0[4-7]/.test(draft);
  const first = compileWith(isOld ? 'draft-07' : '2020-12', schema);
  if (!('faults' in first) || draft !== undefined) return first;
  const second = compileWith('draft-07', schema);
  return 'faults' in second ? first : second;
}

function compileWith(draft: 'draft-07' | '2020-12', schema: Json): PayloadValidator | { faults: SchemaFault[] } {
  const ajv = draft === 'draft-07' ? new Ajv(options) : new Ajv2020(options);
  addFormats.default(ajv);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return { faults: [{ path: [], message: 'A JSON Schema is a mapping.' }] };
  }
  // Draft-04 differs from draft-07 in few keywords that payload schemas use; its own name would be refused as unknown.
  const { $schema: _draft, ...rest } = schema;
  try {
    if (!ajv.validateSchema(rest)) {
      const faults = (ajv.errors ?? []).map((error) => ({
        path: pointerPath(error.instancePath),
        message: `The JSON Schema is not valid here: it ${error.message ?? 'is refused'}.`,
      }));
      return { faults: uniqueByPath(faults) };
    }
    const validate = ajv.compile(rest);
    const isGuarded = mayTakeLong(rest);
    return { validate: (payload) => (isGuarded ? validateInTime(validate, payload) : complaintsOf(validate, payload)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { faults: [{ path: [], message: `The JSON Schema cannot be used: ${reason}.` }] };
  }
}

function complaintsOf(validate: ValidateFunction, payload: Json): ErrorDetail[] {
  try {
    if (validate(payload)) return [];
    return (validate.errors ?? [])
      .slice(0, 100)
      .map((error) => ({ path: error.instancePath, message: describe(error) }));
  } catch (error) {
    // A schema that refers to itself follows the payload down.
    if (error instanceof RangeError) return [{ path: '', message: 'is nested too deeply' }];
    throw error;
  }
}

const guard: { check: () => void } = { check: () => {} };
const guardContext = createContext(guard);
const guardScript = new Script('check()');

/** V8 interrupts script that runs past its time, in the middle of a regular expression if need be; nothing else in JavaScript can. */
function validateInTime(validate: ValidateFunction, payload: Json): ErrorDetail[] {
  let complaints: ErrorDetail[] = [];
  guard.check = () => {
    complaints = complaintsOf(validate, payload);
  };
  try {
    guardScript.runInContext(guardContext, { timeout: timeLimitMs });
    return complaints;
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return [
      { path: '', message: `took longer than ${timeLimitMs} ms to check against its schema; simplify its "pattern"` },
    ];
  } finally {
    guard.check = () => {};
  }
}

const slowKeywords = new Set([
  'pattern',
  'patternProperties',
  'format',
  'uniqueItems',
  '$ref',
  '$dynamicRef',
  'contains',
]);

function mayTakeLong(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.some(mayTakeLong);
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(([key, member]) => slowKeywords.has(key) || mayTakeLong(member));
}

function describe({ keyword, message, params }: ErrorObject): string {
  const names: Record<string, unknown> = params;
  if (keyword === 'additionalProperties') return `must not have the property "${String(names['additionalProperty'])}"`;
  if (keyword === 'enum' && Array.isArray(names['allowedValues']))
    return `must be one of ${names['allowedValues'].map((value) => JSON.stringify(value)).join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(names['allowedValue'])}`;
  return message ?? `does not fit "${keyword}"`;
}

function uniqueByPath(faults: SchemaFault[]): SchemaFault[] {
  const seen = new Map(faults.toReversed().map((fault) => [fault.path.join('/'), fault]));
  return [...seen.values()].toReversed();
}

const pointerPath = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
