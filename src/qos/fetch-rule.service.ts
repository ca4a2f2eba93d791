import { notFound } from '../errors.ts';
import type { FetchRule } from './chunk.service.ts';
import type { FetchService } from './fetch.service.ts';

/** What a rule's checks say about each node of a chunk. */
export const createFetchRule =
  (fetch: Pick<FetchService, 'findRule' | 'fetchChecks'>): FetchRule =>
  async ({ teamId, rule: name, label, nodes, start, end, signal }) => {
    const rule = await fetch.findRule(teamId, { name });
    if (!rule) throw notFound(`There is no rule ${name} any more, which ${label} is computed with.`);
    const range = { label, names: nodes.map((node) => node.name), start, end };
    const found = await fetch.fetchChecks(teamId, rule, range, { signal });
    return nodes.map((_, node) =>
      rule.checks.map(({ id, name: checkName, low, high, is_filled: isFilled }, check) => {
        const fetched = found[check][node];
        return {
          checkId: id,
          checkName,
          threshold: { low, high, isFilled },
          fetched:
            'failure' in fetched
              ? { failure: fetched.failure }
              : { series: fetched.series.map(({ points }) => points) },
        };
      }),
    );
  };
