import type { Client } from './client.ts';
import { type ClientOptions, clientFor } from './client-options.ts';
import { formatCount } from './import-progress.ts';
import { describeList, minute, print, printAnswer } from './output.ts';
import type { Column } from './table.ts';
import { type Definition, definitionList, type Instance, instanceList, type Status } from './workflow-answers.ts';
import { describeDuration, marks, wordOf } from './workflow-draw.ts';

export type ListOptions = ClientOptions & {
  project?: string;
  name?: string;
  status?: Status;
  periodic?: boolean;
  since?: string;
  until?: string;
  limit: number;
};

const largestPage = 1000;

export async function listInstances(options: ListOptions): Promise<void> {
  const { rows, json, total } = await readInstances(clientFor(options), options);
  if (options.json) return print(JSON.stringify(json, undefined, 2));
  print(describeList(instanceColumns(Date.now()), rows, 'No instances.'));
  if (total > rows.length && rows.length > 0)
    print(`\n${formatCount(rows.length)} of ${formatCount(total)}; --limit shows more, --json all their fields.`);
}

/** Page by page. What comes in meanwhile shifts the pages, so that an instance may be met twice; it is taken once. */
async function readInstances(client: Client, options: ListOptions) {
  const limit = Math.max(1, options.limit);
  const query = new URLSearchParams({ with_payload: options.json ? 'true' : 'false' });
  for (const filter of ['project', 'name', 'status', 'periodic', 'since', 'until'] as const) {
    const value = options[filter];
    if (value !== undefined) query.set(filter, String(value));
  }
  const found = new Map<string, { row: Instance; json: unknown }>();
  let total = 0;
  const size = Math.min(limit, largestPage);
  query.set('per_page', String(size));
  for (let page = 1; found.size < limit; page++) {
    query.set('page', String(page));
    const answer = await client.get(`/api/workflows?${query.toString()}`, instanceList);
    // The schema has found a list.
    const items = answer.json as unknown[];
    for (const [index, row] of answer.value.entries()) found.set(row.id, { row, json: items[index] });
    const count = answer.headers.get('x-total-count');
    total = Number(count ?? found.size);
    // A server may give smaller pages than it was asked for; what it says of the whole goes before that.
    const isLast = count === null ? answer.value.length < size : found.size >= total;
    if (isLast || answer.value.length === 0) break;
  }
  const kept = [...found.values()].slice(0, limit);
  return { rows: kept.map(({ row }) => row), json: kept.map(({ json }) => json), total };
}

const instanceColumns = (nowMs: number): Column<Instance>[] => [
  { title: 'WORKFLOW', value: (each) => each.fullname },
  { title: 'STATUS', value: ({ status }) => `${marks[status]} ${wordOf(status)}` },
  { title: 'CREATED (UTC)', value: (each) => each.created.slice(0, 19).replace('T', ' ') },
  { title: 'TOOK', value: (each) => describeDuration(each, nowMs) },
  { title: 'BY', value: (each) => (each.periodic ? 'schedule' : each.relaunched_from ? 'relaunch' : 'request') },
  { title: 'ID', value: (each) => each.id },
];

export async function listDefinitions(options: ClientOptions): Promise<void> {
  const answer = await clientFor(options).get('/api/definitions', definitionList);
  printAnswer(answer, options, (list) =>
    describeList(definitionColumns, list, 'No workflows are defined; "faultline init DIR" writes some to begin with.'),
  );
}

const definitionColumns: Column<Definition>[] = [
  { title: 'WORKFLOW', value: (each) => each.fullname },
  { title: 'SCHEDULE', value: describeSchedule },
  { title: 'NEXT RUN (UTC)', value: (each) => (each.paused ? 'paused' : minute(each.next_run ?? null)) },
  { title: 'TASKS', value: (each) => String(countTasks(each.tasks ?? [])) },
];

export function describeSchedule({ periodic }: Definition): string {
  if (!periodic) return '-';
  const zone = periodic.timezone ? ` ${periodic.timezone}` : '';
  if (periodic.crontab) return `${periodic.crontab}${zone}`;
  return periodic.interval ? `every ${formatCount(periodic.interval)} s` : 'periodic';
}

/** Those inside groups and chains too; a foreach counts as one, for nobody knows yet how many it will be. */
export function countTasks(tasks: unknown[]): number {
  return tasks.reduce<number>((sum, item) => {
    const [inner] = typeof item === 'object' && item !== null ? Object.values(item) : [];
    const isNested = typeof inner === 'object' && inner !== null && 'tasks' in inner && Array.isArray(inner.tasks);
    return sum + (isNested ? countTasks(inner.tasks) : 1);
  }, 0);
}
