import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  type YAMLParseError,
} from 'yaml';
import type { Json } from '../plan.ts';
import type { Fault } from './fault.ts';

/**
 * YAML as JSON, with the place of every key and value, so that any later complaint can point at it.
 *
 *   shop.ORDER:              place.children["shop.ORDER"].children["timeout"] = { key: 14, value: 23 }
 *     timeout: 600
 */
export type YamlSource = {
  file: string;
  /** Undefined when the text is not YAML at all; null when it is empty. */
  value: Json | undefined;
  place: Place;
  faults: Fault[];
  fault(offset: number, message: string, workflow?: string): Fault;
};

/** Offsets into the text. `key` equals `value` where there is no key: in lists and at the top. */
export type Place = {
  key: number;
  value: number;
  children: Map<string, Place>;
  /** Where the text of a one-line scalar begins, so that offsets inside it can be told exactly. */
  text?: number;
};

export const maxFileBytes = 1024 * 1024;
/** Aliases repeat what they name; a small file could otherwise stand for billions of values. */
const maxValues = 200_000;
const maxDepth = 60;
const maxFaults = 1000;

export function readYaml(file: string, text: string): YamlSource {
  const lines = new LineCounter();
  const fault = (offset: number, message: string, workflow?: string): Fault => {
    const { line, col } = lines.linePos(Math.min(Math.max(offset, 0), text.length));
    return { file, line: Math.max(line, 1), column: Math.max(col, 1), message, ...(workflow && { workflow }) };
  };
  const broken = (faults: Fault[]): YamlSource => ({ file, value: undefined, place: placeAt(0), faults, fault });
  if (Buffer.byteLength(text) > maxFileBytes) return broken([fault(0, 'The file is larger than 1 MiB; split it.')]);
  try {
    const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false, merge: false });
    if (document.errors.length > 0) {
      const problems = document.errors.slice(0, 20);
      return broken(problems.map((problem) => fault(problem.pos[0], describeProblem(problem))));
    }
    const converter = new Converter(fault);
    const { json, place } = converter.convert(document.contents, 0, undefined);
    return { file, value: json, place, faults: converter.faults, fault };
  } catch (error) {
    if (error instanceof TooMuch) return broken([fault(error.offset, error.message)]);
    if (error instanceof RangeError) return broken([fault(0, tooDeep)]);
    throw error;
  }
}

/** The place that a path leads to, or of the last part of it that exists. */
export function follow(place: Place, path: readonly PropertyKey[]): Place {
  let here = place;
  for (const part of path) {
    const next = here.children.get(String(part));
    if (!next) return here;
    here = next;
  }
  return here;
}

class TooMuch extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

type Converted = { json: Json; place: Place };

/** Holds what one conversion counts and finds. */
class Converter {
  readonly faults: Fault[] = [];
  readonly #fault: YamlSource['fault'];
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  #values = 0;

  constructor(fault: YamlSource['fault']) {
    this.#fault = fault;
  }

  convert(node: Node | null, depth: number, workflow: string | undefined): Converted {
    const offset = node?.range?.[0] ?? 0;
    if (++this.#values > maxValues) throw new TooMuch(offset, `The file stands for more than ${maxValues} values.`);
    if (depth > maxDepth) throw new TooMuch(offset, `The file is nested more than ${maxDepth} levels deep here.`);
    if (node && 'anchor' in node && node.anchor) this.#anchors.set(node.anchor, node);
    if (isAlias(node)) return this.#alias(node.source, offset, depth, workflow);
    if (isSeq(node)) {
      const items = node.items.map((item) => this.convert(asNode(item), depth + 1, workflow));
      const children = new Map(items.map((item, index) => [String(index), item.place]));
      return { json: items.map((item) => item.json), place: { ...placeAt(offset), children } };
    }
    if (isMap(node)) {
      const entries = new Map<string, Converted>();
      const merged: Node[] = [];
      for (const { key, value } of node.items) {
        const name = keyText(key);
        const at = asNode(key)?.range?.[0] ?? offset;
        // The key of the outermost mapping is the workflow whose fault it would be.
        const owner = depth === 0 ? (name ?? workflow) : workflow;
        if (name === undefined) {
          this.#complain(at, 'A key must be plain text here.', owner);
        } else if (name === '<<' && isScalar(key) && key.type === 'PLAIN' && asNode(value)) {
          merged.push(value as Node); // asNode said so just now
        } else if (entries.has(name)) {
          // The first one holds, so a second definition at the top spoils nothing but itself.
          const repeated = `The key "${name}" is there twice; remove one of the two.`;
          this.#complain(at, repeated, depth === 0 ? undefined : owner);
        } else {
          const converted = this.convert(asNode(value), depth + 1, owner);
          const [from, to] = asNode(value)?.range ?? [0, 0];
          const place = { ...converted.place, key: at, value: from === to ? at : converted.place.value };
          entries.set(name, { json: converted.json, place });
        }
      }
      for (const each of merged) this.#merge(each, entries, depth, workflow);
      const children = new Map([...entries].map(([name, entry]) => [name, entry.place]));
      // Object.fromEntries defines own properties, also one that is called __proto__.
      const json = Object.fromEntries([...entries].map(([name, entry]) => [name, entry.json]));
      return { json, place: { ...placeAt(offset), children } };
    }
    return { json: isScalar(node) ? scalarJson(node) : null, place: scalarPlace(node, offset) };
  }

  #complain(offset: number, message: string, workflow: string | undefined): void {
    if (this.faults.length >= maxFaults)
      throw new TooMuch(offset, `The file has more than ${maxFaults} faults: ${message}`);
    this.faults.push(this.#fault(offset, message, workflow));
  }

  #alias(name: string, offset: number, depth: number, workflow: string | undefined): Converted {
    const target = this.#anchors.get(name);
    if (!target) throw new TooMuch(offset, `The alias "*${name}" names no anchor above it.`);
    if (this.#open.has(target)) throw new TooMuch(offset, `The alias "*${name}" stands inside what it names.`);
    this.#open.add(target);
    const converted = this.convert(target, depth, workflow);
    this.#open.delete(target);
    return converted;
  }

  /** `<<: *base` and `<<: [*one, *two]`: keys that are not there yet. */
  #merge(node: Node, entries: Map<string, Converted>, depth: number, workflow: string | undefined): void {
    for (const source of isSeq(node) ? node.items.map(asNode) : [node]) {
      const { json, place } = this.convert(source, depth + 1, workflow);
      if (typeof json !== 'object' || json === null || Array.isArray(json)) {
        this.#complain(node.range?.[0] ?? 0, 'Only a mapping can be merged with "<<".', workflow);
        continue;
      }
      for (const [name, value] of Object.entries(json)) {
        if (!entries.has(name)) entries.set(name, { json: value, place: place.children.get(name) ?? place });
      }
    }
  }
}

const placeAt = (offset: number): Place => ({ key: offset, value: offset, children: new Map() });

function scalarPlace(node: Node | null, offset: number): Place {
  if (!isScalar(node) || typeof node.value !== 'string') return placeAt(offset);
  const isQuoted = node.type === 'QUOTE_SINGLE' || node.type === 'QUOTE_DOUBLE';
  const isExact =
    node.source === node.value && node.range && node.range[1] - offset === node.value.length + (isQuoted ? 2 : 0);
  return isExact ? { ...placeAt(offset), text: offset + (isQuoted ? 1 : 0) } : placeAt(offset);
}

/** Values that JSON does not have become text as written: a date, an infinity, a number too large to be exact. */
function scalarJson(node: Scalar): Json {
  const { value } = node;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return node.source ?? '';
}

/** `1: x` and `true: x` have the keys "1" and "true". */
function keyText(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}

// The library types the members of collections as unknown; parsed documents hold nodes or null.
const asNode = (value: unknown): Node | null =>
  isScalar(value) || isMap(value) || isSeq(value) || isAlias(value) ? value : null;

/** The library's messages, as one sentence with a full stop. */
function describeProblem({ code, message }: YAMLParseError): string {
  if (code === 'MULTIPLE_DOCS') return 'A file is one YAML document; remove this "---" and join the two parts.';
  // The library walks nested collections by recursion, and reports an overflow as an error of the text.
  if (message.includes('call stack')) return tooDeep;
  const first = message.split('\n')[0].trim();
  return `This is not YAML: ${/[.!?]$/.test(first) ? first : `${first}.`}`;
}

const tooDeep = 'The file is nested too deeply to be read.';
