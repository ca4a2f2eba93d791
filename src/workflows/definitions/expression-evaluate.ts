import type { Json, Scope } from '../plan.ts';
import type { BinaryOperator, Expression, FunctionName } from './expression-tree.ts';

/** The only thing that evaluation throws; its message is for the person who wrote the expression. */
export class ExpressionError extends Error {
  override name = 'ExpressionError';
}

/** What one evaluation, or one rendering of many, may still spend. */
export type Budget = { steps: number; characters: number };

/** 100,000 steps take a few milliseconds; 8 million characters are more than a task's arguments should be. */
export const newBudget = (): Budget => ({ steps: 100_000, characters: 8_000_000 });

export function evaluateNode(node: Expression, scope: Scope, budget: Budget): Json {
  spend(budget, 1);
  const evaluate = (child: Expression) => evaluateNode(child, scope, budget);
  if (node.kind === 'literal') return node.value;
  if (node.kind === 'name') return scopeValue(scope, node.name);
  if (node.kind === 'member') return memberOf(evaluate(node.object), evaluate(node.property));
  if (node.kind === 'choice') return evaluate(node.test) ? evaluate(node.yes) : evaluate(node.no);
  if (node.kind === 'list') return node.elements.map(evaluate);
  if (node.kind === 'object') {
    // fromEntries defines own properties, also one that is called __proto__.
    return Object.fromEntries(node.entries.map(({ key, value }) => [asText(evaluate(key), budget), evaluate(value)]));
  }
  if (node.kind === 'call') return functions[node.name](node.args.map(evaluate), budget);
  if (node.kind === 'unary') {
    const value = evaluate(node.argument);
    if (node.operator === '!') return !value;
    return node.operator === '-' ? -numberFrom(value, 'negate') : numberFrom(value, 'take the number of');
  }
  if (node.operator === '&&') return evaluate(node.left) && evaluate(node.right);
  if (node.operator === '||') return evaluate(node.left) || evaluate(node.right);
  if (node.operator === '??') return evaluate(node.left) ?? evaluate(node.right);
  return operators[node.operator](evaluate(node.left), evaluate(node.right), budget);
}

/** Counts the characters of a value as JSON, roughly, and stops early: `[payload, payload, …]` could be far larger than it looks. */
export function measure(value: Json, budget: Budget): void {
  if (typeof value === 'string') charge(budget, value.length);
  else if (Array.isArray(value)) {
    charge(budget, value.length);
    for (const element of value) measure(element, budget);
  } else if (value !== null && typeof value === 'object') {
    for (const [key, member] of Object.entries(value)) {
      charge(budget, key.length + 4);
      measure(member, budget);
    }
  } else charge(budget, 5);
}

/** Text as it stands, everything else as JSON: what `{{…}}` inside a longer text becomes. */
export function asText(value: Json, budget: Budget): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  // Measured first: the same large value may be in it a hundred times.
  measure(value, budget);
  return JSON.stringify(value);
}

/** Values that are nested thousands deep overflow the stack of whoever walks them; that too is the expression's fault. */
export function guarded<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof RangeError) throw new ExpressionError('The value is nested too deeply.');
    throw error;
  }
}

function scopeValue(scope: Scope, name: string): Json {
  // A fixed list of names got through the compiler, and Scope has no others.
  return (Object.hasOwn(scope, name) ? (scope as Record<string, Json | undefined>)[name] : undefined) ?? null;
}

/** Own properties only, so no prototype is ever reached; what is missing is null. */
function memberOf(object: Json, property: Json): Json {
  if (object === null || typeof object !== 'object') {
    return typeof object === 'string' && property === 'length' ? object.length : null;
  }
  if (typeof property !== 'string' && typeof property !== 'number') return null;
  if (Array.isArray(object)) {
    if (property === 'length') return object.length;
    const place = Number(property);
    return Number.isInteger(place) && place >= 0 && place < object.length ? object[place] : null;
  }
  return Object.hasOwn(object, property) ? (object[property] ?? null) : null;
}

type StrictOperator = Exclude<BinaryOperator, '&&' | '||' | '??'>;

const operators: Record<StrictOperator, (left: Json, right: Json, budget: Budget) => Json> = {
  '==': (left, right, budget) => isEqual(left, right, budget),
  '===': (left, right, budget) => isEqual(left, right, budget),
  '!=': (left, right, budget) => !isEqual(left, right, budget),
  '!==': (left, right, budget) => !isEqual(left, right, budget),
  '<': (left, right) => compare(left, right, (order) => order < 0),
  '<=': (left, right) => compare(left, right, (order) => order <= 0),
  '>': (left, right) => compare(left, right, (order) => order > 0),
  '>=': (left, right) => compare(left, right, (order) => order >= 0),
  '+': (left, right, budget) =>
    typeof left === 'string' || typeof right === 'string'
      ? charged(asText(left, budget) + asText(right, budget), budget)
      : finite(numberFrom(left, 'add') + numberFrom(right, 'add')),
  '-': (left, right) => finite(numberFrom(left, 'subtract') - numberFrom(right, 'subtract')),
  '*': (left, right) => finite(numberFrom(left, 'multiply') * numberFrom(right, 'multiply')),
  '/': (left, right) => finite(numberFrom(left, 'divide') / numberFrom(right, 'divide by')),
  '%': (left, right) => finite(numberFrom(left, 'divide') % numberFrom(right, 'divide by')),
};

/** Two numbers or two texts. Nothing is larger or smaller than what is missing. */
function compare(left: Json, right: Json, holds: (order: number) => boolean): boolean {
  if (left === null || right === null) return false;
  if (typeof left === 'number' && typeof right === 'number') return holds(left - right);
  if (typeof left === 'string' && typeof right === 'string') return holds(left < right ? -1 : left > right ? 1 : 0);
  throw new ExpressionError(`Cannot compare ${nameOf(left)} with ${nameOf(right)}.`);
}

function isEqual(left: Json, right: Json, budget: Budget): boolean {
  spend(budget, 1);
  if (left === right) return true;
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((element, index) => isEqual(element, right[index], budget));
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key], budget));
}

const functions: Record<FunctionName, (args: Json[], budget: Budget) => Json> = {
  length([value]) {
    if (value === null) return 0;
    if (typeof value === 'string' || Array.isArray(value)) return value.length;
    if (typeof value === 'object') return Object.keys(value).length;
    throw new ExpressionError(`${nameOf(value)} has no length.`);
  },
  contains([whole, part], budget) {
    if (whole === null) return false;
    if (Array.isArray(whole)) return whole.some((element) => isEqual(element, part, budget));
    if (typeof whole === 'string' && typeof part === 'string') return whole.includes(part);
    if (typeof whole === 'object' && typeof part === 'string') return Object.hasOwn(whole, part);
    throw new ExpressionError(`${nameOf(whole)} cannot contain ${nameOf(part)}.`);
  },
  keys([value]) {
    if (value === null) return [];
    if (typeof value === 'object' && !Array.isArray(value)) return Object.keys(value);
    throw new ExpressionError(`${nameOf(value)} has no keys.`);
  },
  lower: ([value], budget) => charged(asText(value, budget).toLowerCase(), budget),
  upper: ([value], budget) => charged(asText(value, budget).toUpperCase(), budget),
  string: ([value], budget) => charged(asText(value, budget), budget),
  number([value]) {
    if (typeof value === 'number') return value;
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
    if (!Number.isFinite(number)) throw new ExpressionError(`${nameOf(value)} is no number.`);
    return number;
  },
};

function charged(text: string, budget: Budget): string {
  charge(budget, text.length);
  return text;
}

function numberFrom(value: Json, verb: string): number {
  if (typeof value === 'number') return value;
  throw new ExpressionError(`Cannot ${verb} ${nameOf(value)}; only numbers can be reckoned with.`);
}

function finite(value: number): number {
  if (!Number.isFinite(value))
    throw new ExpressionError('The result is no finite number; was something divided by zero?');
  return value;
}

function spend(budget: Budget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new ExpressionError('The expression takes too many steps.');
}

function charge(budget: Budget, characters: number): void {
  budget.characters -= characters;
  if (budget.characters < 0) throw new ExpressionError('The expression makes too large a value.');
}

function nameOf(value: Json): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return `the text "${value.length > 40 ? `${value.slice(0, 40)}…` : value}"`;
  return String(value);
}
