import { fileURLToPath } from 'node:url';
import { startChild } from '../../test/harness/child.ts';
import type { BenchCase, BenchRow, PreparedCase } from '../harness/case.ts';
import { loadGenerator, requestsPerSecond } from '../harness/http-load.ts';
import { dependencyVersion } from '../harness/versions.ts';
import { createAsker, p50Of } from './asker.ts';
import { closeEstate, type Estate, openEstate, startOnEstate } from './estate.ts';
import { NOW } from './layered-graph.ts';
import { connectSqlPeer, type SqlPeer } from './recursive-sql.ts';
import type { Root } from './sized-graph.ts';

const bareFastify = fileURLToPath(new URL('../http/bare-fastify.process.ts', import.meta.url));
const impactedLabel = 'Website';
const row = { better: 'lower', unit: 'ms', ours: 'faultline', peer: 'recursive SQL' } as const;

/** How often one contender asks in one round: the clock should run long enough, and no longer. */
type Times = { ours: number; sql: number };

/** Questions over HTTP, with PostgreSQL behind the service, against the same questions to that PostgreSQL. */
export const cases: BenchCase[] = [
  {
    name: 'large impact over HTTP',
    rounds: 3,
    prepare: async ({ isQuick }) => {
      const estate = await openEstate(isQuick);
      return prepareAgainstSql(estate, estate.large, 15, { ours: 40, sql: 5 });
    },
  },
  {
    name: 'small impact over HTTP',
    rounds: 3,
    prepare: async ({ isQuick }) => {
      const estate = await openEstate(isQuick);
      return prepareAgainstSql(estate, estate.small, 10, { ours: 500, sql: 100 });
    },
  },
  ...(['impacted/count', 'impacted'] as const).map(
    (operation): BenchCase => ({
      name: `${operation} and a bare route`,
      rounds: 3,
      prepare: async ({ isQuick }) => prepareAgainstBareRoute(await openEstate(isQuick), operation, isQuick ? 1 : 4),
    }),
  ),
];

export const close = closeEstate;

async function prepareAgainstSql(estate: Estate, root: Root, ratio: number, times: Times): Promise<PreparedCase> {
  const { service, stop } = await startOnEstate(estate);
  const asker = createAsker(service);
  const sql = await connectSqlPeer(estate);
  const [countPath, pagePath] = [pathOf(estate, root, 'impacted/count'), pathOf(estate, root, 'impacted')];
  await refuseDifference(root, await asker.ask(countPath), await asker.ask(pagePath), sql);
  // The service remembers answers; every question that is timed is a new one. A count of a label that nobody has takes the same walk.
  let asked = 0;
  const newCount = () => asker.ask(`${countPath}?impactedLabel=Nobody${asked++}`);
  const newPage = () => asker.ask(pagePath.replace(/ts=\d+/, `ts=${NOW - asked++}`));
  for (const ask of [newCount, newPage]) await p50Of(times.ours, ask);
  const title = (what: string) => `${what}, ${estate.sized.title}, ${root.impacted.toLocaleString('en-US')} impacted`;
  const rows: BenchRow[] = [
    { ...row, title: title('impacted/count p50'), figure: 'count', target: { ratioAtLeast: ratio } },
    { ...row, title: title('impacted, page of a label, p50'), figure: 'page', target: { ratioAtLeast: ratio } },
  ];
  return {
    contenders: {
      faultline: async () => ({
        count: await p50Of(times.ours, newCount),
        page: await p50Of(times.ours, newPage),
      }),
      'recursive SQL': async () => ({
        count: await p50Of(times.sql, () => sql.count(root)),
        page: await p50Of(times.sql, () => sql.page(root, impactedLabel)),
      }),
    },
    rows,
    versions: { database: service.database },
    async close() {
      asker.close();
      await sql.close();
      await stop();
    },
  };
}

async function prepareAgainstBareRoute(
  estate: Estate,
  operation: 'impacted/count' | 'impacted',
  seconds: number,
): Promise<PreparedCase> {
  const { service, stop } = await startOnEstate(estate);
  const headers = { authorization: `Bearer ${service.adminToken}` };
  const path = pathOf(estate, estate.small, operation);
  const answer = await fetch(service.url + path, { headers });
  const env = {
    BODY: await answer.text(),
    CONTENT_TYPE: answer.headers.get('content-type') ?? '',
    ROUTE: `/v1/teams/:team_id/labels/:label/nodes/:node/${operation}`,
  };
  const peer = await startChild({ script: bareFastify, env, ready: /listening at (\S+)/ });
  const urls = [service.url + path, peer.ready[1] + path];
  // Both compile their hot paths before anything counts.
  for (const url of urls) await requestsPerSecond({ url, headers, seconds });
  const [ours, bare] = urls.map((url) => async () => ({ rate: await requestsPerSecond({ url, headers, seconds }) }));
  return {
    contenders: { faultline: ours, 'bare Fastify': bare },
    rows: [
      {
        title: `${operation}, ${estate.sized.title}, ${estate.small.impacted.toLocaleString('en-US')} impacted, asked again and again`,
        figure: 'rate',
        unit: 'requests/s',
        better: 'higher',
        ours: 'faultline',
        peer: 'bare Fastify',
        target: { ratioAtLeast: 0.4 },
      },
    ],
    versions: { fastify: dependencyVersion('fastify'), 'load generator': loadGenerator },
    async close() {
      await peer.stop();
      await stop();
    },
  };
}

function pathOf({ teamId }: Estate, { label, name }: Root, operation: 'impacted/count' | 'impacted'): string {
  const node = `/v1/teams/${teamId}/labels/${label}/nodes/${name}`;
  return operation === 'impacted'
    ? `${node}/impacted?impactedLabel=${impactedLabel}&limit=25&ts=${NOW}`
    : `${node}/${operation}`;
}

async function refuseDifference(root: Root, countAnswer: string, pageAnswer: string, sql: SqlPeer): Promise<void> {
  const { count } = JSON.parse(countAnswer) as { count: number }; // our own interface
  const page = JSON.parse(pageAnswer) as { name: string; active: boolean }[];
  if (count !== root.impacted || (await sql.count(root)) !== count) throw new Error('The peer counts otherwise.');
  if (toText(await sql.page(root, impactedLabel)) !== toText(page)) throw new Error('The peer gives another page.');
}

const toText = (nodes: { name: string; active: boolean }[]): string =>
  nodes.map(({ name, active }) => `${name} ${active}`).join();
