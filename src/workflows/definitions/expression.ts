import objectPlugin from '@jsep-plugin/object';
import jsep from 'jsep';
import type { Json, Scope } from '../plan.ts';
import { type Budget, ExpressionError, evaluateNode, guarded, measure, newBudget } from './expression-evaluate.ts';
import { toExpression } from './expression-tree.ts';

/**
 * The small language of `when`, `over`, `payload` and `{{…}}`: literals, the names of a Scope, members, comparison, logic, arithmetic,
 * `a ? b : c`, lists, objects and a fixed list of functions. jsep parses, we evaluate: no code is ever made from text.
 */
export type CompiledExpression = {
  text: string;
  /** The names of the scope that it uses. */
  names: ReadonlySet<string>;
  /** Throws ExpressionError, and nothing else. */
  evaluate(scope: Scope, budget?: Budget): Json;
};

export type ExpressionFault = { offset: number; message: string };

const maxLength = 2000;
const maxBrackets = 40;

jsep.plugins.register(objectPlugin);

export function compileExpression(text: string): CompiledExpression | { fault: ExpressionFault } {
  if (text.length > maxLength) return refuse(maxLength, `An expression may have ${maxLength} characters.`);
  const tooDeep = findDepth(text, maxBrackets);
  if (tooDeep !== undefined) return refuse(tooDeep, `Brackets may stand ${maxBrackets} deep in an expression.`);
  if (text.trim() === '') return refuse(0, 'An expression is missing here.');
  try {
    const result = toExpression(jsep(text), text);
    if ('fault' in result) return result;
    const { tree, names } = result;
    return {
      text,
      names,
      evaluate: (scope, budget = newBudget()) =>
        guarded(() => {
          const value = evaluateNode(tree, scope, budget);
          measure(value, budget);
          return value;
        }),
    };
  } catch (error) {
    if (error instanceof RangeError) return refuse(0, 'The expression is nested too deeply.');
    const { index, description } = error as { index?: number; description?: string }; // what jsep throws
    return refuse(
      Math.min(index ?? 0, text.length),
      `The expression cannot be read: ${description ?? 'syntax error'}.`,
    );
  }
}

const compiled = new Map<string, CompiledExpression | { fault: ExpressionFault }>();
const maxCompiled = 2000;

/** Compiled once per text; the engine asks for the same few again and again. */
export function compileCached(text: string): CompiledExpression | { fault: ExpressionFault } {
  const known = compiled.get(text);
  if (known) return known;
  if (compiled.size >= maxCompiled) compiled.clear();
  const result = compileExpression(text);
  compiled.set(text, result);
  return result;
}

/** Throws ExpressionError when the text is no expression or cannot be evaluated. */
export function evaluateExpression(text: string, scope: Scope, budget?: Budget): Json {
  const expression = compileCached(text);
  if ('fault' in expression) throw new ExpressionError(expression.fault.message);
  return expression.evaluate(scope, budget);
}

const refuse = (offset: number, message: string) => ({ fault: { offset, message } });

/** Where brackets stand deeper than the limit. Those inside quotes count too, which only makes it stricter. */
function findDepth(text: string, limit: number): number | undefined {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    if ('([{'.includes(text[index])) depth += 1;
    else if (')]}'.includes(text[index])) depth -= 1;
    if (depth > limit) return index;
  }
  return undefined;
}
