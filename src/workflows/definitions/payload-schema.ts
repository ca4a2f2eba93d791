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
  if (typeof schema !== 'object' || schema === null) return compileAnew(schema);
  const known = compiled.get(schema);
  if (known) return known;
  // A reload brings new objects that mostly say the same as before.
  const text = JSON.stringify(schema);
  const result = compiledByText.get(text) ?? compileAnew(schema);
  if (compiledByText.size >= 1000) compiledByText.clear();
  compiledByText.set(text, result);
  compiled.set(schema, result);
  return result;
}

const compiled = new WeakMap<object, PayloadValidator | { faults: SchemaFault[] }>();
const compiledByText = new Map<string, PayloadValidator | { faults: SchemaFault[] }>();

const maxComplaints = 100;
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

type Draft = 'draft-07' | '2020-12';

const newAjv = (draft: Draft, extra: Options): Ajv => {
  const ajv = draft === 'draft-07' ? new Ajv({ ...options, ...extra }) : new Ajv2020({ ...options, ...extra });
  addFormats.default(ajv);
  return ajv;
};

/** Knows what a schema may look like. Made once for each draft: compiling the meta-schemas takes some 50 ms. */
const metaValidators = new Map<Draft, Ajv>();

function compileWith(draft: Draft, schema: Json): PayloadValidator | { faults: SchemaFault[] } {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return { faults: [{ path: [], message: 'A JSON Schema is a mapping.' }] };
  }
  const meta = metaValidators.get(draft) ?? newAjv(draft, {});
  metaValidators.set(draft, meta);
  // Draft-04 differs from draft-07 in few keywords that payload schemas use; its own name would be refused as unknown.
  const { $schema: _draft, ...rest } = schema;
  try {
    if (!meta.validateSchema(rest)) {
      const faults = (meta.errors ?? []).map(({ instancePath, message }) => ({
        path: pointerPath(instancePath),
        message: `The JSON Schema is not valid here: it ${message ?? 'is refused'}.`,
      }));
      return { faults: uniqueByPath(faults) };
    }
    // One each, so that two schemas may have the same $id.
    const validate = newAjv(draft, { meta: false, validateSchema: false }).compile(rest);
    const isGuarded = mayTakeLong(rest);
    return { validate: (payload) => (isGuarded ? validateInTime(validate, payload) : complaintsOf(validate, payload)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    return {
      faults: [{ path: findCulprit(rest, error) ?? [], message: `The JSON Schema cannot be used: ${reason}.` }],
    };
  }
}

/** ajv does not say where the reference or the pattern stands that it cannot compile. */
function findCulprit(schema: Json, error: unknown): string[] | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  for (const [key, member] of Object.entries(schema)) {
    const isMissing =
      key === '$ref' && error instanceof Error && typeof member === 'string' && error.message.includes(member);
    if (isMissing || (key === 'pattern' && typeof member === 'string' && !isPattern(member))) return [key];
    const inside = findCulprit(member, error);
    if (inside) return [key, ...inside];
  }
  return undefined;
}

function isPattern(text: string): boolean {
  try {
    RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}

function complaintsOf(validate: ValidateFunction, payload: Json): ErrorDetail[] {
  try {
    if (validate(payload)) return [];
    return (validate.errors ?? []).slice(0, maxComplaints).map(describe);
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

/** The path is dotted, as in every other answer of the service; a property that is missing or too many is named by it. */
function describe({ keyword, message, params, instancePath }: ErrorObject): ErrorDetail {
  const details: Record<string, unknown> = params;
  const path = pointerPath(instancePath);
  const at = (name: unknown): string => [...path, String(name)].join('.');
  if (keyword === 'required') return { path: at(details['missingProperty']), message: 'is required' };
  if (keyword === 'additionalProperties') {
    return { path: at(details['additionalProperty']), message: 'is not a known property' };
  }
  const allowed = keyword === 'const' ? [details['allowedValue']] : details['allowedValues'];
  const values = Array.isArray(allowed) ? allowed.map((value) => JSON.stringify(value)).join(', ') : undefined;
  const oneOf = values === undefined ? undefined : `must be ${keyword === 'const' ? '' : 'one of '}${values}`;
  return { path: path.join('.'), message: oneOf ?? message ?? `does not fit "${keyword}"` };
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
