import { FaultlineError } from '../errors.ts';
import type { IntegrationsService } from '../platform/integrations/integrations.service.ts';
import type { MetricSourceRow, MetricSourcesService } from '../platform/integrations/metric-sources.service.ts';
import { type MetricSource, type Series, SourceFailure } from '../platform/integrations/sources/metric-source.ts';
import type { CheckToFetch, FetchStore, RuleToFetch } from './fetch.store.ts';
import type { MeasurementsStore } from './measurements.store.ts';
import { fillTemplate, type OwnerVariables, parseTemplate } from './query-template.ts';
import type { SourceCalls } from './source-calls.ts';

export type FetchService = ReturnType<typeof createFetchService>;

/** What one check found out about one node; `query` is what was asked, where something was. */
export type FetchedCheck = ({ series: Series[] } | { failure: string }) & { query: string | null };

/** Nodes of one label, from one second to another, both included. */
export type FetchRange = { label: string; names: string[]; start: number; end: number };
export type FetchOptions = { tries?: number; signal?: AbortSignal | undefined };

const defaultConcurrency = 8;
const defaultTries = 3;

/** Gets the points that checks judge, from wherever they are. */
export function createFetchService(deps: {
  store: FetchStore;
  measurements: Pick<MeasurementsStore, 'listPoints'>;
  metricSources: Pick<MetricSourcesService, 'list'>;
  integrations: Pick<IntegrationsService, 'openSource'>;
  calls: SourceCalls;
}) {
  const { store, calls } = deps;

  /** Asks for each node, as many at once as the source allows. A query that two nodes share is asked once. */
  async function fetchQueried(
    teamId: string,
    rule: RuleToFetch,
    check: CheckToFetch,
    source: MetricSourceRow,
    range: FetchRange,
    options: FetchOptions,
  ): Promise<FetchedCheck[]> {
    const { tries = defaultTries, signal } = options;
    const { label, names, start, end } = range;
    const variables = {
      team: rule.team_variables,
      rule: rule.variables,
      source: check.source_variables,
      check: check.variables,
    };
    const limit = Number(source.config['concurrency'] ?? defaultConcurrency);
    let opened: Promise<MetricSource> | undefined;
    const asked = new Map<string, Promise<FetchedCheck>>();

    const ask = (query: string): Promise<FetchedCheck> =>
      calls
        .call(`${teamId}/${source.id}`, { limit, tries, signal }, async () => {
          opened ??= deps.integrations.openSource(teamId, source.id, signal).catch((error: unknown) => {
            opened = undefined;
            throw error;
          });
          return (await opened).query(query, start, end);
        })
        .then(
          ({ series }) => ({ series, query }),
          (error: unknown) => {
            signal?.throwIfAborted();
            return { failure: failureOf(error), query };
          },
        );

    const results = names.map((name): Promise<FetchedCheck> => {
      const filled = fill(check.query, { name, label, start, end }, variables, source);
      if ('fault' in filled) return Promise.resolve({ failure: filled.fault, query: null });
      const answer = asked.get(filled.text) ?? ask(filled.text);
      asked.set(filled.text, answer);
      return answer;
    });
    return Promise.all(results);
  }

  /** All checks and nodes in one statement. */
  async function fetchPushed(
    teamId: string,
    checks: CheckToFetch[],
    range: FetchRange,
  ): Promise<Map<string, FetchedCheck[]>> {
    if (checks.length === 0) return new Map();
    const { label, names, start, end } = range;
    const ids = checks.map(({ id }) => id);
    const found = await deps.measurements.listPoints(teamId, ids, label, names, start, end);
    const points = new Map(found.map((one) => [`${one.check_id} ${one.name}`, one.points]));
    const seriesOf = (checkId: string, name: string): Series[] => {
      const measured = points.get(`${checkId} ${name}`);
      return measured ? [{ labels: {}, points: measured }] : [];
    };
    return new Map(
      ids.map((id) => [id, names.map((name): FetchedCheck => ({ series: seriesOf(id, name), query: null }))]),
    );
  }

  return {
    findRule: (teamId: string, by: { id: string } | { name: string }) => store.findRule(teamId, by),

    /**
     * For each of `rule.checks`, what it found out about each of `range.names`, in their order. A source that fails is a `failure` of its
     * checks; only an abort and a database that is away reject.
     */
    async fetchChecks(
      teamId: string,
      rule: RuleToFetch,
      range: FetchRange,
      options: FetchOptions = {},
    ): Promise<FetchedCheck[][]> {
      const sources = new Map((await deps.metricSources.list(teamId)).map((row) => [row.id, row]));
      const isPushed = (check: CheckToFetch): boolean => sources.get(check.source_id)?.protocol === 'push';
      const pushed = fetchPushed(teamId, rule.checks.filter(isPushed), range);
      return Promise.all(
        rule.checks.map(async (check) => {
          const source = sources.get(check.source_id);
          if (source && source.protocol !== 'push') return fetchQueried(teamId, rule, check, source, range, options);
          const failure = 'The source of this check is no longer there, or is no source of measurements any more.';
          return (await pushed).get(check.id) ?? range.names.map(() => ({ failure, query: null }));
        }),
      );
    },
  };
}

function fill(
  query: string,
  node: Parameters<typeof fillTemplate>[1],
  variables: OwnerVariables,
  source: MetricSourceRow,
): { text: string } | { fault: string } {
  const parsed = parseTemplate(query);
  if ('fault' in parsed) return { fault: `The query cannot be read: ${parsed.fault}.` };
  // Text in WarpScript knows no backslash.
  return fillTemplate(parsed.template, node, variables, source.protocol === 'warp10' ? 'percent' : 'backslash');
}

/** A sentence for people. Anything else says nothing about the source (perhaps the database is away), and is no answer. */
function failureOf(error: unknown): string {
  const isTold = error instanceof SourceFailure || error instanceof FaultlineError || isSecretUnreadable(error);
  if (isTold && error instanceof Error) return error.message;
  throw error;
}

const isSecretUnreadable = (error: unknown): boolean => error instanceof Error && error.name === 'SecretUnreadable';
