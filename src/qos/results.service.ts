import type { Clock } from '../clock.ts';
import { badRequest, notFound } from '../errors.ts';
import type { TeamConfig } from './config-check.ts';
import { addDays, daysBetween, toDay } from './day.ts';
import type { LabelDay, NodeDay, ResultsStore } from './results.store.ts';

export type DayRange = { start?: string | undefined; end?: string | undefined };
export type History = { label: string; name?: string; start: string; end: string; data: (NodeDay | LabelDay)[] };

const usualDays = 30;
const maxDays = 3660;

export type ResultsService = ReturnType<typeof createResultsService>;

export function createResultsService(deps: {
  store: ResultsStore;
  listLabels: (teamId: string) => Promise<{ name: string; nodes_count: number }[]>;
  findConfig: (teamId: string) => Promise<TeamConfig | undefined>;
  clock: Clock;
}) {
  const { store } = deps;

  /** The last thirty days unless told; one end gives the other. */
  function rangeOf({ start, end }: DayRange): { start: string; end: string } {
    const last = end ?? (start === undefined ? toDay(deps.clock() / 1000) : addDays(start, usualDays - 1));
    const first = start ?? addDays(last, 1 - usualDays);
    const days = daysBetween(first, last).length;
    if (days === 0) throw badRequest('"start" must not come after "end".');
    if (days > maxDays) throw badRequest(`At most ${maxDays} days can be asked for at once.`);
    return { start: first, end: last };
  }

  async function getNodeId(teamId: string, label: string, name: string): Promise<number> {
    const id = await store.findNodeId(teamId, label, name);
    if (id === undefined) throw notFound(`There is no node ${name} with the label ${label}.`);
    return id;
  }

  return {
    getNodeId,

    async history(teamId: string, of: { label: string; name?: string | undefined } & DayRange): Promise<History> {
      const { label, name } = of;
      const { start, end } = rangeOf(of);
      if (name === undefined) return { label, start, end, data: await store.listLabelDays(teamId, label, start, end) };
      const id = await getNodeId(teamId, label, name);
      return { label, name, start, end, data: await store.listNodeDays(teamId, id, start, end) };
    },

    async worst(teamId: string, of: { label: string; day?: string | undefined; limit: number }) {
      const day = of.day ?? (await store.findNewestDay(teamId, of.label)) ?? null;
      const data = day === null ? [] : await store.listWorst(teamId, of.label, day, of.limit);
      return { label: of.label, day, data };
    },

    async statistics(teamId: string, range: DayRange) {
      const { start, end } = rangeOf(range);
      const labels = await deps.listLabels(teamId);
      const [config, rows] = await Promise.all([deps.findConfig(teamId), store.listStatistics(teamId, start, end)]);
      const counts = new Map(labels.map(({ name, nodes_count: count }) => [name, count]));
      const figures = new Map(rows.map((row) => [row.label, row]));
      const names = [...new Set([...counts.keys(), ...figures.keys(), ...Object.keys(config ?? {})])].toSorted();
      return {
        start,
        end,
        nodes: labels.reduce((sum, { nodes_count: count }) => sum + count, 0),
        labels: names.map((label) => {
          const row = figures.get(label);
          return {
            label,
            nodes_count: counts.get(label) ?? 0,
            qos_query: config?.[label]?.qos ?? null,
            days: row?.days ?? 0,
            average: row?.average ?? null,
            minimum: row?.minimum ?? null,
            maximum: row?.maximum ?? null,
            latest: row
              ? { day: row.latest_day, value: row.latest_value, nodes: row.nodes, unknown_nodes: row.unknown_nodes }
              : null,
          };
        }),
      };
    },
  };
}

/** For spreadsheets: a line for each day; what is not known is empty. */
export function historyCsv({ data }: History): string {
  const isLabel = data.some((row) => 'nodes' in row);
  const head = isLabel ? 'day,value,coverage,nodes,unknown_nodes' : 'day,value,coverage';
  const lines = data.map((row) => {
    const figures = [row.day, row.value ?? '', round(row.coverage)];
    return ('nodes' in row ? [...figures, row.nodes, row.unknown_nodes] : figures).join(',');
  });
  return `${[head, ...lines].join('\r\n')}\r\n`;
}

/** Stored with the seven digits of a `real`. */
export const round = (coverage: number): number => Math.round(coverage * 1000) / 1000;
