import type jsep from 'jsep';
import { suggest } from './fault.ts';

/** What is left of jsep's tree once everything that is not on the list has been refused. */
export type Expression =
  | { kind: 'literal'; value: string | number | boolean | null }
  | { kind: 'name'; name: ScopeName }
  | { kind: 'member'; object: Expression; property: Expression }
  | { kind: 'unary'; operator: '!' | '-' | '+'; argument: Expression }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: 'choice'; test: Expression; yes: Expression; no: Expression }
  | { kind: 'list'; elements: Expression[] }
  | { kind: 'object'; entries: { key: Expression; value: Expression }[] }
  | { kind: 'call'; name: FunctionName; args: Expression[] };

export type ScopeName = (typeof scopeNames)[number];
export type BinaryOperator = (typeof binaryOperators)[number];
export type FunctionName = keyof typeof functionArity;

export const scopeNames = ['payload', 'results', 'previous', 'instance', 'item', 'index'] as const;
export const functionArity = { length: 1, contains: 2, keys: 1, lower: 1, upper: 1, string: 1, number: 1 };
const binaryOperators = [
  '==',
  '===',
  '!=',
  '!==',
  '<',
  '<=',
  '>',
  '>=',
  '&&',
  '||',
  '??',
  '+',
  '-',
  '*',
  '/',
  '%',
] as const;
const unaryOperators = ['!', '-', '+'] as const;
const maxDepth = 200;

type Result = { tree: Expression; names: ReadonlySet<string> } | { fault: { offset: number; message: string } };

export function toExpression(root: jsep.Expression, text: string): Result {
  const names = new Set<string>();
  try {
    return { tree: new Translator(text, names).translate(root, 0), names };
  } catch (error) {
    if (error instanceof Refusal) return { fault: { offset: error.offset, message: error.message } };
    throw error;
  }
}

class Refusal extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Holds the text, to find where a refused part stands: jsep's nodes do not say. */
class Translator {
  readonly #text: string;
  readonly #names: Set<string>;

  constructor(text: string, names: Set<string>) {
    this.#text = text;
    this.#names = names;
  }

  translate(node: jsep.Expression | null | undefined, depth: number): Expression {
    if (depth > maxDepth) throw new Refusal(0, `An expression may be ${maxDepth} operations deep.`);
    // jsep types its nodes loosely; each case reads what jsep documents for that type of node.
    const part = node as jsep.CoreExpression | ObjectNode | null | undefined;
    const next = (child: jsep.Expression | null | undefined) => this.translate(child, depth + 1);
    switch (part?.type) {
      case 'Literal':
        if (typeof part.value === 'object' && part.value !== null) break;
        if (typeof part.value === 'number' && !Number.isFinite(part.value)) break;
        return { kind: 'literal', value: part.value };
      case 'Identifier':
        return { kind: 'name', name: this.#scopeName(part.name) };
      case 'MemberExpression': {
        const property: Expression = part.computed
          ? next(part.property)
          : { kind: 'literal', value: nameOf(part.property) };
        return { kind: 'member', object: next(part.object), property };
      }
      case 'UnaryExpression': {
        const operator = unaryOperators.find((known) => known === part.operator);
        if (!operator) throw this.#refusal(part.operator, `There is no operator "${part.operator}" here.`);
        return { kind: 'unary', operator, argument: next(part.argument) };
      }
      case 'BinaryExpression': {
        const operator = binaryOperators.find((known) => known === part.operator);
        if (!operator) throw this.#refusal(part.operator, `There is no operator "${part.operator}" here.`);
        return { kind: 'binary', operator, left: next(part.left), right: next(part.right) };
      }
      case 'ConditionalExpression':
        return { kind: 'choice', test: next(part.test), yes: next(part.consequent), no: next(part.alternate) };
      case 'ArrayExpression':
        return { kind: 'list', elements: part.elements.map(next) };
      case 'ObjectExpression':
        return { kind: 'object', entries: part.properties.map((property) => this.#entry(property, next)) };
      case 'CallExpression':
        return this.#call(part, next);
      case 'ThisExpression':
        throw this.#refusal('this', 'There is no "this" in an expression.');
      case 'Compound':
      case 'SequenceExpression':
      case undefined:
        break;
    }
    throw new Refusal(0, 'Write one expression: a value, a comparison, a list, an object or a call.');
  }

  #scopeName(name: string): ScopeName {
    const known = scopeNames.find((each) => each === name);
    if (!known) {
      const all = `An expression may name ${scopeNames.join(', ')}.`;
      throw this.#refusal(name, `"${name}" is not known here.${suggest(name, scopeNames)} ${all}`);
    }
    this.#names.add(known);
    return known;
  }

  #entry(property: PropertyNode, next: (child: jsep.Expression) => Expression): { key: Expression; value: Expression } {
    if (property.type !== 'Property' || !property.key || !property.value) {
      throw new Refusal(0, 'Write an object as { name: value, … }.');
    }
    const { key, computed } = property;
    if (computed) return { key: next(key), value: next(property.value) };
    const name = key.type === 'Identifier' ? key['name'] : key.type === 'Literal' ? key['value'] : undefined;
    if (typeof name !== 'string' && typeof name !== 'number')
      throw new Refusal(0, 'A key must be a name or a text in quotes.');
    return { key: { kind: 'literal', value: String(name) }, value: next(property.value) };
  }

  #call(node: jsep.CallExpression, next: (child: jsep.Expression) => Expression): Expression {
    const name = nameOf(node.callee);
    const all = `There are ${Object.keys(functionArity).join(', ')}.`;
    if (!isFunctionName(name)) {
      throw this.#refusal(name, `There is no function "${name}".${suggest(name, Object.keys(functionArity))} ${all}`);
    }
    const wanted = functionArity[name];
    if (node.arguments.length !== wanted) {
      throw this.#refusal(name, `${name}() takes ${wanted === 1 ? 'one value' : `${wanted} values`}.`);
    }
    return { kind: 'call', name, args: node.arguments.map(next) };
  }

  /** The first place where the word stands outside of quotes. */
  #refusal(word: string, message: string): Refusal {
    const blanked = this.#text.replaceAll(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g, (quoted) =>
      ' '.repeat(quoted.length),
    );
    const isWord = /^[\w$]+$/.test(word);
    const found = isWord
      ? blanked.search(new RegExp(`(?<![\\w$.])${word.replaceAll('$', '\\$')}(?![\\w$])`))
      : blanked.indexOf(word);
    return new Refusal(Math.max(found, 0), message);
  }
}

type ObjectNode = { type: 'ObjectExpression'; properties: PropertyNode[] };
type PropertyNode = { type: string; computed?: boolean; key?: jsep.Expression; value?: jsep.Expression };

const nameOf = (node: jsep.Expression): string =>
  node.type === 'Identifier' && typeof node['name'] === 'string' ? node['name'] : '';
const isFunctionName = (name: string): name is FunctionName => Object.hasOwn(functionArity, name);
