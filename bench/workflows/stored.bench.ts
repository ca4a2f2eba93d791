import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { closePostgres, withClient } from '../graph/postgres.ts';
import type { BenchCase, BenchRow, Figures, PreparedCase } from '../harness/case.ts';
import { median } from '../harness/measure.ts';
import { type FaultlineService, startFaultlineService } from './faultline.ts';
import { storeInstances } from './stored-instances.ts';

const few = 1000;

/** Does a long history make the newest part of it slower to read? The peer is the same service with a short one. */
export const cases: BenchCase[] = [
  { name: 'stored instances', rounds: 3, prepare: ({ isQuick }) => prepare(isQuick ? 20_000 : 1_000_000, isQuick) },
];

export const close = closePostgres;

type Answer = { body: string; total: string };
type Question = { title: string; figure: string; paths: (history: History) => string[]; isJudged: boolean };
type History = { faultline: FaultlineService; ids: string[]; stored: number };

const lastHour = (): string => new Date(Date.now() - 3_600_000).toISOString();
const one = (path: string) => (): string[] => [`/api/workflows?${path}`];

const questions: Question[] = [
  { title: 'list, 25 newest', figure: 'page', paths: one('per_page=25'), isJudged: true },
  { title: 'list, as it comes (1,000)', figure: 'default', paths: one(''), isJudged: true },
  { title: 'list, failed ones', figure: 'status', paths: one('per_page=25&status=error'), isJudged: true },
  {
    title: 'list, one workflow',
    figure: 'name',
    paths: one('per_page=25&project=project1&name=WORKFLOW1'),
    isJudged: true,
  },
  {
    title: 'list, one workflow, failed, periodic',
    figure: 'several',
    paths: one('per_page=25&project=project0&name=WORKFLOW0&status=error&periodic=true'),
    isJudged: true,
  },
  { title: 'list, last hour', figure: 'since', paths: () => one(`per_page=25&since=${lastHour()}`)(), isJudged: true },
  {
    title: 'list, the last page',
    figure: 'last',
    paths: ({ stored }) => one(`per_page=25&page=${stored / 25}`)(),
    // Pages are numbered, so the database walks past all that come before.
    isJudged: false,
  },
  { title: 'detail', figure: 'detail', paths: ({ ids }) => ids.map((id) => `/api/workflows/${id}`), isJudged: true },
];

async function prepare(many: number, isQuick: boolean): Promise<PreparedCase> {
  const short = await storeHistory(few);
  const long = await storeHistory(many);
  const [ours, peer] = [many, few].map((count) => `${count.toLocaleString('en-US')} stored`);
  const repeats = isQuick ? 50 : 200;
  return {
    contenders: { [ours]: () => measure(long, repeats), [peer]: () => measure(short, repeats) },
    rows: questions.map(
      ({ title, figure, isJudged }): BenchRow => ({
        title: `${title}, p50, ${ours}`,
        figure,
        unit: 'ms',
        better: 'lower',
        ours,
        peer,
        target: isJudged ? { ratioAtLeast: 0.5 } : 'none',
      }),
    ),
    versions: { database: long.faultline.service.database },
    async close() {
      await short.faultline.stop();
      await long.faultline.stop();
    },
  };
}

async function storeHistory(stored: number): Promise<History> {
  const faultline = await startFaultlineService({ shape: 'PostgreSQL', workers: 0 });
  const { databaseUrl = '' } = faultline;
  const ids = await withClient(databaseUrl, async (client) => {
    await storeInstances(client, stored);
    const { rows } = await client.query<{ id: string }>(
      'select id from workflow_instances order by md5(id::text) limit 500',
    );
    return rows.map(({ id }) => id);
  });
  const history = { faultline, ids, stored };
  const { total } = await ask(faultline, '/api/workflows?per_page=1');
  if (Number(total) !== stored) throw new Error(`The service counts ${total} instances, not ${stored}.`);
  const { body } = await ask(faultline, `/api/workflows/${ids[0]}`);
  const { tasks } = JSON.parse(body) as { tasks: unknown[] }; // our own interface
  if (tasks.length !== 5) throw new Error(`An instance has ${tasks.length} tasks, not 5.`);
  await measure(history, 30);
  return history;
}

async function measure(history: History, repeats: number): Promise<Figures> {
  const figures: Figures = {};
  for (const { figure, paths, isJudged } of questions) {
    const asked = paths(history);
    const times: number[] = [];
    for (let i = 0; i < (isJudged ? repeats : 5); i++) {
      const startedAt = performance.now();
      await ask(history.faultline, asked[i % asked.length]);
      times.push(performance.now() - startedAt);
    }
    figures[figure] = median(times);
  }
  return figures;
}

const agent = new Agent({ keepAlive: true });

async function ask({ service }: FaultlineService, path: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${service.adminToken}` };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(service.url + path, { agent, headers }, resolve).once('error', reject);
  });
  const body = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${body}`);
  return { body, total: String(answer.headers['x-total-count']) };
}
