import { parseQuery } from '../../../../src/qos/query.ts';

/** What a query means, as a sentence; undefined while it is none. */
export function describeQuery(text: string): string | undefined {
  const parsed = parseQuery(text);
  if (!('query' in parsed)) return undefined;
  const { query } = parsed;
  if (query.kind === 'rule') return `Good while the checks of the rule ${query.name} are good.`;
  const labels = listOf(query.labels, query.operator === 'OR' ? 'or' : 'and');
  switch (query.operator) {
    case 'AND':
      return `Good while every ${labels} it depends on is good.`;
    case 'OR':
      return `Good while some ${labels} it depends on is good.`;
    case 'ATLEAST':
      return `Good while at least ${query.threshold} of the ${labels} it depends on are good.`;
    case 'RATIO':
      return `Good while at least ${Number((query.threshold * 100).toFixed(6))} % of the ${labels} it depends on are good.`;
    case 'AVERAGE':
      return `The average of the ${labels} it depends on.`;
    case 'MIN':
      return `As good as the worst ${labels} it depends on.`;
    case 'MAX':
      return `As good as the best ${labels} it depends on.`;
  }
}

const listOf = (labels: readonly string[], word: string): string =>
  labels.length === 1 ? (labels[0] ?? '') : `${labels.slice(0, -1).join(', ')} ${word} ${labels.at(-1)}`;

/** What may stand at the cursor, and which part of the text it would replace. */
export type Suggestion = { from: number; to: number; options: string[] };

const beginnings = [
  'rule.',
  'operation.AND[]',
  'operation.OR[]',
  'operation.ATLEAST(1)[]',
  'operation.RATIO(0.5)[]',
  'aggregation.AVERAGE[]',
  'aggregation.MIN[]',
  'aggregation.MAX[]',
];
const maxOptions = 12;

export function suggest(text: string, cursor: number, known: { labels: string[]; rules: string[] }): Suggestion {
  const before = text.slice(0, cursor);
  const rule = /^\s*rule\s*\.\s*('?[^']*)$/.exec(before);
  if (rule) {
    const written = rule[1] ?? '';
    const options = known.rules.map((name) => (/^\w[\w-]*$/.test(name) ? name : `'${name}'`));
    const wanted = written.replace("'", '').toLowerCase();
    return {
      from: cursor - written.length,
      to: text.length,
      options: pick(options, (option) => option.replace("'", '').toLowerCase().startsWith(wanted)),
    };
  }
  const list = /\[([^\]]*)$/.exec(before);
  if (list) {
    const written = /[A-Za-z0-9]*$/.exec(before)?.[0] ?? '';
    const rest = /^[A-Za-z0-9]*/.exec(text.slice(cursor))?.[0] ?? '';
    const used = new Set((/\[([^\]]*)/.exec(text)?.[1] ?? '').split(',').map((label) => label.trim()));
    return {
      from: cursor - written.length,
      to: cursor + rest.length,
      options: pick(known.labels, (label) => !used.has(label) && label.toLowerCase().startsWith(written.toLowerCase())),
    };
  }
  const written = before.trimStart();
  return {
    from: 0,
    to: text.length,
    options: pick(beginnings, (one) => written.length < one.length && one.startsWith(written)),
  };
}

const pick = (options: readonly string[], fits: (option: string) => boolean): string[] =>
  options.filter(fits).slice(0, maxOptions);

/** The text with a suggestion taken, and where the cursor stands then: inside of brackets that are still empty. */
export function take(text: string, { from, to }: Suggestion, option: string): { text: string; cursor: number } {
  const next = text.slice(0, from) + option + text.slice(to);
  const end = from + option.length;
  return { text: next, cursor: option.endsWith('[]') ? end - 1 : end };
}
