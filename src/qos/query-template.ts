/** Names and texts that a team, a rule, a source or a check brings into queries. */
export type Variables = Record<string, string>;

const owners = ['team', 'rule', 'source', 'check'] as const;
type Owner = (typeof owners)[number];

/** What a placeholder asks for. */
export type Reference = { kind: 'node'; field: 'name' | 'label' | 'start' | 'end' } | { kind: Owner; variable: string };

/** The text between two quotes of this kind, or no text at all. */
type Quote = '"' | "'" | '`' | undefined;

export type QueryTemplate = Array<{ text: string } | { reference: Reference; quote: Quote }>;

export type NodeValues = { name: string; label: string; start: number; end: number };
export type OwnerVariables = Record<Owner, Variables>;

/** How a language writes quotes inside a text: `\"` as most do, or `%22` as WarpScript does. */
export type Escaping = 'backslash' | 'percent';

const placeholder = /\{\{(.*?)\}\}/gs;
const reference =
  /^(?:depc\.)?(?:(?<field>name|label|start|end)|(?<owner>team|rule|source|check)(?:\.(?<dotted>[A-Za-z][\w-]*)|\[\s*(?:'(?<single>[^']*)'|"(?<double>[^"]*)")\s*\]))$/;

/**
 * A query with placeholders, the way DepC wrote them, with `depc.` in front or without:
 *
 *   up{host="{{ name }}", region="{{ team.region }}"}        {{ depc.team['region'] }} is the same
 */
export function parseTemplate(text: string): { template: QueryTemplate } | { fault: string } {
  const template: QueryTemplate = [];
  let quote: Quote;
  let end = 0;
  for (const found of text.matchAll(placeholder)) {
    const before = text.slice(end, found.index);
    quote = quoteAfter(before, quote);
    const asked = toReference(found[1].trim());
    if (!asked) {
      return {
        fault: `{{${found[1]}}} is not known: there are name, label, start, end, and team.X, rule.X, source.X, check.X`,
      };
    }
    template.push({ text: before }, { reference: asked, quote });
    end = found.index + found[0].length;
  }
  const rest = text.slice(end);
  if (rest.includes('{{')) return { fault: 'a "{{" is not closed with "}}"' };
  return { template: [...template, { text: rest }] };
}

/** Variables that the template asks for and nobody has; those of owners that are not given are not looked at. */
export function missingVariables(template: QueryTemplate, known: Partial<OwnerVariables>): string[] {
  const missing = template.flatMap((part) => {
    if (!('reference' in part) || part.reference.kind === 'node') return [];
    const { kind, variable } = part.reference;
    const variables = known[kind];
    return variables && !Object.hasOwn(variables, variable) ? [`${kind}.${variable}`] : [];
  });
  return [...new Set(missing)];
}

/** The query for one node. A value cannot leave the text that it stands in. */
export function fillTemplate(
  template: QueryTemplate,
  node: NodeValues,
  variables: OwnerVariables,
  escaping: Escaping,
): { text: string } | { fault: string } {
  const missing = missingVariables(template, variables);
  if (missing.length > 0) return { fault: `The query needs ${missing.join(', ')}, and there is no such variable.` };
  let text = '';
  for (const part of template) {
    if ('text' in part) {
      text += part.text;
      continue;
    }
    const { reference, quote } = part;
    const value =
      reference.kind === 'node' ? String(node[reference.field]) : variables[reference.kind][reference.variable];
    // Outside of quotes a variable may be a piece of the query: whoever wrote it may also write the query. A name comes from elsewhere.
    const written = quote
      ? escape(value, quote, escaping)
      : reference.kind !== 'node' || isPlain(value)
        ? value
        : undefined;
    if (written === undefined) {
      const place = quote ? `between ${quote}` : 'outside of quotes';
      return {
        fault: `${JSON.stringify(value)} cannot stand ${place} in the query; put the placeholder between quotes.`,
      };
    }
    text += written;
  }
  return { text };
}

function toReference(text: string): Reference | undefined {
  const groups = reference.exec(text)?.groups;
  if (!groups) return undefined;
  const { field, owner, dotted, single, double } = groups;
  // The expression has no other fields and owners than these.
  if (field) return { kind: 'node', field: field as 'name' };
  return { kind: owner as Owner, variable: dotted ?? single ?? double ?? '' };
}

/** Which quote is open behind `text`. Texts end with their line, save those in backticks; so an apostrophe in a comment does no harm below it. */
function quoteAfter(text: string, before: Quote): Quote {
  let open = before;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\\' && open && open !== '`') at++;
    else if (character === '\n' && open !== '`') open = undefined;
    else if (character === open) open = undefined;
    else if (!open && (character === '"' || character === "'" || character === '`')) open = character;
  }
  return open;
}

function escape(value: string, quote: Exclude<Quote, undefined>, escaping: Escaping): string | undefined {
  // Nothing can be escaped between backticks.
  if (quote === '`') return value.includes('`') ? undefined : value;
  if (escaping === 'percent') return encodeURIComponent(value).replaceAll("'", '%27');
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
}

/** Text that no query language reads as anything but a word. */
const isPlain = (text: string): boolean => /^[\p{L}\p{N}_.:/@-]+$/u.test(text) && !/--|\/\//.test(text);
