import type { Json, Scope } from '../plan.ts';
import { evaluateExpression } from './expression.ts';
import { asText, type Budget, ExpressionError, guarded, measure, newBudget } from './expression-evaluate.ts';

/** `{{ expression }}` inside text. `offset` is where the expression begins in the text. */
export type TemplatePart = { text: string } | { expression: string; offset: number };

/**
 * An expression ends at the first `}}` outside of quotes and braces: `{{ { a: { b: 1 } } }}` is one.
 * A `{{` that never ends is a fault.
 */
export function splitTemplate(
  text: string,
): { parts: TemplatePart[] } | { fault: { offset: number; message: string } } {
  const parts: TemplatePart[] = [];
  let from = 0;
  while (from < text.length) {
    const open = text.indexOf('{{', from);
    if (open < 0) break;
    if (open > from) parts.push({ text: text.slice(from, open) });
    const close = findEnd(text, open + 2);
    if (close === undefined) return { fault: { offset: open, message: 'This "{{" has no "}}".' } };
    parts.push({ expression: text.slice(open + 2, close), offset: open + 2 });
    from = close + 2;
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from) });
  return { parts };
}

/** Every `{{…}}` in every text of the value, at any depth. A text that is one expression and nothing else keeps the value's type. */
export function renderTemplates(json: Json, scope: Scope, budget: Budget = newBudget()): Json {
  return guarded(() => {
    const rendered = render(json, scope, budget);
    measure(rendered, budget);
    return rendered;
  });
}

function render(json: Json, scope: Scope, budget: Budget): Json {
  if (typeof json === 'string') return renderText(json, scope, budget);
  if (Array.isArray(json)) return json.map((element) => render(element, scope, budget));
  if (json === null || typeof json !== 'object') return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, render(value, scope, budget)]));
}

function renderText(text: string, scope: Scope, budget: Budget): Json {
  if (!text.includes('{{')) return text;
  const split = splitTemplate(text);
  if ('fault' in split) throw new ExpressionError(split.fault.message);
  const [only] = split.parts;
  if (split.parts.length === 1 && 'expression' in only) return evaluateExpression(only.expression, scope, budget);
  return split.parts
    .map((part) => ('text' in part ? part.text : asText(evaluateExpression(part.expression, scope, budget), budget)))
    .join('');
}

function findEnd(text: string, from: number): number | undefined {
  let quote: string | undefined;
  let braces = 0;
  for (let index = from; index < text.length; index++) {
    const character = text[index];
    if (quote !== undefined) {
      if (character === '\\') index += 1;
      else if (character === quote) quote = undefined;
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '{') braces += 1;
    else if (character === '}') {
      if (braces > 0) braces -= 1;
      else if (text[index + 1] === '}') return index;
    }
  }
  return undefined;
}
