import type { z } from 'zod';
import { type Fault, suggest } from './fault.ts';
import { follow, type Place, type YamlSource } from './yaml-source.ts';

/** Where complaints about one definition go. */
export type Complaints = {
  faults: Fault[];
  at(place: Place, message: string, prefer?: 'key' | 'value'): void;
  /** At an offset within the text of a scalar; where YAML folded or escaped the text, at its beginning. */
  inText(place: Place, offset: number, message: string): void;
};

/** Whoever has more than this begins with these. */
const maxComplaints = 1000;

export function complaintsAbout(source: YamlSource, workflow: string | undefined): Complaints {
  const faults: Fault[] = [];
  const add = (offset: number, message: string) => {
    if (faults.length < maxComplaints) faults.push(source.fault(offset, message, workflow));
  };
  return {
    faults,
    at: (place, message, prefer = 'value') => add(place[prefer], message),
    inText: (place, offset, message) => add(place.text === undefined ? place.value : place.text + offset, message),
  };
}

/** Checks one value against its schema. On success the value, else undefined and one complaint per issue, each at its place. */
export function check<T extends z.ZodType>(
  schema: T,
  value: unknown,
  place: Place,
  what: string,
  complaints: Complaints,
): z.infer<T> | undefined {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) complain(issue, place, what, complaints, schema);
  return undefined;
}

function complain(
  issue: z.core.$ZodIssue,
  place: Place,
  what: string,
  complaints: Complaints,
  schema: z.ZodType,
): void {
  const here = follow(place, issue.path);
  const label = issue.path.length > 0 ? `"${issue.path.join('.')}" of ${what}` : sentenceCase(what);
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) {
      const known = knownKeys(schema, issue.path);
      const list = known.length > 0 ? ` Known are ${known.join(', ')}.` : '';
      const message = `"${key}" is not a key of ${issue.path.length > 0 ? label : what}.${suggest(key, known)}${list}`;
      complaints.at(here.children.get(key) ?? here, message, 'key');
    }
    return;
  }
  const isMissing = issue.code === 'invalid_type' && parentHasNot(place, issue.path);
  if (isMissing) {
    complaints.at(here, `${sentenceCase(what)} needs "${issue.path.join('.')}".`, 'key');
    return;
  }
  // The members of a union each complain; the one that got furthest knows best what was meant.
  if (issue.code === 'invalid_union') {
    const deepest = issue.errors.flat().find((inner) => inner.path.length > 0 || inner.code === 'unrecognized_keys');
    if (deepest)
      return complain({ ...deepest, path: [...issue.path, ...deepest.path] }, place, what, complaints, schema);
  }
  complaints.at(here, `${label} ${issue.message}.`);
}

const parentHasNot = (place: Place, path: PropertyKey[]): boolean =>
  path.length > 0 && !follow(place, path.slice(0, -1)).children.has(String(path.at(-1)));

/** The keys of the mapping that a path leads to in a schema. */
function knownKeys(schema: z.ZodType, path: PropertyKey[]): string[] {
  let here: unknown = schema;
  for (const part of [...path, undefined]) {
    here = unwrap(here);
    const shape = shapeOf(here);
    if (part === undefined) return shape ? Object.keys(shape) : [];
    here = shape?.[String(part)];
  }
  return [];
}

function unwrap(schema: unknown): unknown {
  let here = schema;
  // zod's own wrappers (optional, default) keep the schema they wrap under def.innerType.
  while (isRecord(here) && isRecord(here['def']) && here['def']['innerType'] !== undefined)
    here = here['def']['innerType'];
  return here;
}

function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  if (!isRecord(schema)) return undefined;
  const def = schema['def'];
  if (isRecord(def) && Array.isArray(def['options'])) return def['options'].map(shapeOf).find(Boolean);
  return isRecord(schema['shape']) ? schema['shape'] : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
