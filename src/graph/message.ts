import type { Rel } from './periods.ts';

/** A property left out stays as it is, `null` clears it. */
export type MessageNode = { label: string; name: string; from?: number | null; to?: number | null };

/** One message of the ingest: a node, or a relationship `source → target` ("source depends on target"). */
export type Message = { source: MessageNode; target?: MessageNode; rel?: Rel };

export const MAX_NAME_CHARACTERS = 1024;
const MAX_LABEL_CHARACTERS = 255;
const LABEL = /^[A-Z][A-Za-z0-9]*$/;
// C0, DEL and C1.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

type Fields = Record<string, unknown>;

/**
 * Reads a message, nested or flat, or answers the sentence that says what is wrong with it.
 * Hand-written because an ingest of millions of lines goes through here: a sentence is cheaper than an exception.
 */
export function parseMessage(value: unknown): Message | string {
  if (!isFields(value)) return 'a message must be a JSON object';
  const isNested = value.source !== undefined || value.target !== undefined || value.rel !== undefined;
  const flatKey = findFlatKey(value);
  if (isNested && flatKey !== undefined) return `source, target and rel may not be mixed with the flat ${flatKey}`;
  return isNested ? parseNested(value) : parseFlat(value);
}

/** The sentence that says why `label` cannot be one, or undefined. */
export function labelFault(label: unknown, field: string): string | undefined {
  if (label === undefined || label === null) return `${field} is missing`;
  if (typeof label !== 'string') return `${field} must be a string`;
  if (!LABEL.test(label)) return `${field} must begin with a capital letter and contain only letters and digits`;
  return label.length > MAX_LABEL_CHARACTERS
    ? `${field} must have at most ${MAX_LABEL_CHARACTERS} characters`
    : undefined;
}

/** The sentence that says why `name` cannot be one, or undefined. */
export function nameFault(name: unknown, field: string): string | undefined {
  if (name === undefined || name === null) return `${field} is missing`;
  if (typeof name !== 'string') return `${field} must be a string`;
  if (name.length === 0) return `${field} must not be empty`;
  if (name.length > MAX_NAME_CHARACTERS && countCodePoints(name) > MAX_NAME_CHARACTERS)
    return `${field} must have at most ${MAX_NAME_CHARACTERS} characters`;
  if (CONTROL.test(name)) return `${field} must not contain control characters`;
  return name.isWellFormed() ? undefined : `${field} must be well-formed Unicode`;
}

function parseNested(value: Fields): Message | string {
  const source = parseNestedNode(value.source, 'source');
  if (typeof source === 'string') return source;
  const { target: targetValue, rel: relValue } = value;
  if (targetValue === undefined || targetValue === null) {
    if (relValue !== undefined && relValue !== null) return 'rel needs a target';
    return { source };
  }
  const target = parseNestedNode(targetValue, 'target');
  if (typeof target === 'string') return target;
  if (relValue === undefined || relValue === null) return { source, target };
  if (!isFields(relValue)) return 'rel must be an object';
  const rel = parseRel(relValue.from, relValue.to, 'rel.from', 'rel.to');
  return typeof rel === 'string' ? rel : { source, target, rel };
}

function parseNestedNode(value: unknown, field: 'source' | 'target'): MessageNode | string {
  if (value === undefined || value === null) return `${field} is missing`;
  if (!isFields(value)) return `${field} must be an object`;
  const { label, name, props } = value;
  const fault = labelFault(label, `${field}.label`) ?? nameFault(name, `${field}.name`);
  if (fault !== undefined) return fault;
  if (props !== undefined && props !== null && !isFields(props)) return `${field}.props must be an object`;
  return parseNode(label, name, props?.from, props?.to, `${field}.props.`);
}

function parseFlat(value: Fields): Message | string {
  const source = parseFlatNode(
    value.source_label,
    value.source_name,
    value.source_from,
    value.source_to,
    'source_label',
    'source_name',
    'source_',
  );
  if (typeof source === 'string') return source;
  const { target_label, target_name, target_from, target_to, rel_from, rel_to } = value;
  const hasTarget = isGiven(target_label) || isGiven(target_name) || isGiven(target_from) || isGiven(target_to);
  if (!hasTarget) {
    if (isGiven(rel_from) || isGiven(rel_to)) return `${isGiven(rel_from) ? 'rel_from' : 'rel_to'} needs a target`;
    return { source };
  }
  const target = parseFlatNode(
    target_label,
    target_name,
    target_from,
    target_to,
    'target_label',
    'target_name',
    'target_',
  );
  if (typeof target === 'string') return target;
  if (!isGiven(rel_from) && !isGiven(rel_to)) return { source, target };
  const rel = parseRel(rel_from, rel_to, 'rel_from', 'rel_to');
  return typeof rel === 'string' ? rel : { source, target, rel };
}

function parseFlatNode(
  label: unknown,
  name: unknown,
  from: unknown,
  to: unknown,
  labelField: string,
  nameField: string,
  prefix: string,
): MessageNode | string {
  const fault = labelFault(label, labelField) ?? nameFault(name, nameField);
  return fault ?? parseNode(label, name, from, to, prefix);
}

function parseNode(label: unknown, name: unknown, from: unknown, to: unknown, prefix: string): MessageNode | string {
  // The caller checked both; this only tells the compiler.
  if (typeof label !== 'string' || typeof name !== 'string') return `${prefix}label and name must be strings`;
  const node: MessageNode = { label, name };
  if (from !== undefined) {
    if (from !== null && !isSecond(from)) return `${prefix}from ${NOT_A_SECOND}`;
    node.from = from;
  }
  if (to !== undefined) {
    if (to !== null && !isSecond(to)) return `${prefix}to ${NOT_A_SECOND}`;
    node.to = to;
  }
  return node;
}

function parseRel(from: unknown, to: unknown, fromField: string, toField: string): Rel | string {
  const rel: Rel = {};
  if (isGiven(from)) {
    if (!isSecond(from)) return `${fromField} ${NOT_A_SECOND}`;
    rel.from = from;
  }
  if (isGiven(to)) {
    if (!isSecond(to)) return `${toField} ${NOT_A_SECOND}`;
    rel.to = to;
  }
  return rel;
}

const NOT_A_SECOND = 'must be a time in whole unix seconds, not negative';

function isSecond(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function findFlatKey(value: Fields): string | undefined {
  if (value.source_label !== undefined) return 'source_label';
  if (value.source_name !== undefined) return 'source_name';
  if (value.target_label !== undefined) return 'target_label';
  if (value.target_name !== undefined) return 'target_name';
  if (value.source_from !== undefined) return 'source_from';
  if (value.source_to !== undefined) return 'source_to';
  if (value.target_from !== undefined) return 'target_from';
  if (value.target_to !== undefined) return 'target_to';
  if (value.rel_from !== undefined) return 'rel_from';
  return value.rel_to !== undefined ? 'rel_to' : undefined;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
