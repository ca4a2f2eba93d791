import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness/app.ts';
import { at, depends, newGraph } from '../../test/harness/graph.ts';
import { createGraphService, type GraphService } from './graph.service.ts';
import { createGraphStore } from './graph.store.ts';
import { createReadModel, type ReadModel } from './model/read-model.ts';
import { createTeamModels } from './team-models.service.ts';

/** What other features ask the graph: through its service, its threads, and the rows in either database. */
const dayFrom = Date.UTC(2026, 10, 15) / 1000;
const dayTo = dayFrom + 86_399;
const question = {
  label: 'Web',
  dependencyLabels: ['Db'],
  fromNode: 0,
  dayFrom,
  dayTo,
  wholeDay: false,
  withNames: true,
};

let app: TestApp;
let readModel: ReadModel;
let graph: GraphService;
beforeAll(async () => {
  app = await startTestApp();
  const log = { info() {}, warn() {} };
  readModel = createReadModel({ threads: 2, memoryBudgetBytes: 2 ** 30, log });
  const store = createGraphStore(app.database);
  graph = createGraphService({ store, readModel, models: createTeamModels({ store, readModel, isShared: true }), log });
});
afterAll(() => readModel.close());

test('nodes of a label with their dependencies and the seconds in which these count', async () => {
  const { teamId, add } = await newGraph(app);
  await add(
    depends('Web:site', 'Db:always'),
    depends('Web:site', 'Db:short', { from: dayFrom + 100, to: dayFrom + 199 }),
    depends('Web:site', 'Db:short', { from: dayFrom + 500 }),
    depends('Web:site', 'Cache:other'),
    { source: at('Web:gone', { to: dayFrom - 1 }) },
    { source: at('Web:alone') },
  );
  const table = await graph.dependencyTable(teamId, question);
  const [always, short] = await Promise.all(['always', 'short'].map((name) => graph.nodeId(teamId, 'Db', name)));
  expect(table.names).toEqual(['site', 'alone']);
  expect([...table.nodes]).toEqual(await Promise.all(table.names.map((name) => graph.nodeId(teamId, 'Web', name))));
  expect([...table.rowStart]).toEqual([0, 3, 3]);
  expect([...table.dependency]).toEqual([always, short, short]);
  expect([...table.from]).toEqual([0, 100, 500]);
  expect([...table.to]).toEqual([86_399, 200, 86_399]);
});

test('a label is cut into chunks, and an unknown node is not found', async () => {
  const { teamId, add } = await newGraph(app);
  await add(...Array.from({ length: 5 }, (_, i) => ({ source: at(`Web:n${i}`) })));
  const chunks = await graph.labelChunks(teamId, 'Web', 2);
  const sizes = chunks.map(async (fromNode, i) => {
    const table = await graph.dependencyTable(teamId, { ...question, fromNode, toNode: chunks[i + 1] });
    return table.nodes.length;
  });
  expect(await Promise.all(sizes)).toEqual([2, 2, 1]);
  expect(await graph.labelChunks(teamId, 'Db', 2)).toEqual([]);
  await expect(graph.nodeId(teamId, 'Web', 'nobody')).rejects.toMatchObject({ code: 'not_found' });
});
