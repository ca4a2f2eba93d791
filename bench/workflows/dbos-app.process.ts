/**
 * A DBOS application as its users write one: an HTTP server that starts workflows in its own process. (Starting by queue from another
 * process would add a poll to every workflow.) The answer's first line says that it is recorded, the second one that it has ended.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { chainLength, fanWidth, next, type Result, type Shape, sum } from './shapes.ts';
import { tell } from './tell.ts';

const step = (name: string, run: () => Result): Promise<Result> => DBOS.runStep(async () => run(), { name });

const workflows: Record<Shape, (tellPort?: number) => Promise<Result>> = {
  dag: register('dag', async (begin) => {
    const a = await step('A', () => begin(next(undefined)));
    return step('E', sumOf(await Promise.all(['B', 'C', 'D'].map((key) => step(key, () => next(a))))));
  }),
  chain: register('chain', async (begin) => {
    let last = await step('STEP', () => begin(next(undefined)));
    for (let place = 1; place < chainLength; place++) last = await step('STEP', () => next(last));
    return last;
  }),
  fan: register('fan', async (begin) => {
    await step('LIST', () => begin({ n: fanWidth }));
    return step(
      'JOIN',
      sumOf(await Promise.all(Array.from({ length: fanWidth }, () => step('ITEM', () => next(undefined))))),
    );
  }),
};

DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: process.env['DATABASE_URL'],
  systemDatabasePoolSize: 20,
  logLevel: 'error',
});
await DBOS.launch();

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`)); // it listens: it has one

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/result') {
    const known = DBOS.retrieveWorkflow<Result>(searchParams.get('id') ?? '');
    response.end(String((await known.getResult()).n));
    return;
  }
  const port = searchParams.get('tell');
  const workflow = workflows[pathname.slice(1) as Shape]; // the load asks for nothing else
  const handle = await DBOS.startWorkflow(workflow)(port ? Number(port) : undefined);
  response.write(`${handle.workflowID}\n`);
  await handle.getResult();
  response.end('ended\n');
}

function register(name: Shape, run: (begin: (result: Result) => Result) => Promise<Result>) {
  const workflow = (tellPort?: number): Promise<Result> =>
    run((result) => {
      tell(tellPort, DBOS.workflowID ?? '');
      return result;
    });
  return DBOS.registerWorkflow(workflow, { name });
}

function sumOf(results: Result[]): () => Result {
  return () => sum(results);
}
