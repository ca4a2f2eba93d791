import { parseQuery } from '../../../../src/qos/query.ts';
import type { Label } from '../../api/types.ts';

/** Labels whose quality follows from this rule. */
export const labelsUsing = (labels: readonly Pick<Label, 'name' | 'qos_query'>[], rule: string): string[] =>
  labels.filter(({ qos_query: text }) => text !== null && ruleOf(text) === rule).map(({ name }) => name);

function ruleOf(text: string): string | undefined {
  const parsed = parseQuery(text);
  return 'query' in parsed && parsed.query.kind === 'rule' ? parsed.query.name : undefined;
}
