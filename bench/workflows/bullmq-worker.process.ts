/**
 * A BullMQ worker. In a flow, children are done before their parent, so a tree cannot say "A before B, C and D, once": as its documentation
 * suggests for steps that follow each other, the job A adds the flow E { B, C, D } when it is done. A chain is a nested flow.
 */
import { FlowProducer, type Job, Worker } from 'bullmq';
import { fanWidth, next, type Result, sum } from './shapes.ts';
import { concurrency } from './system.ts';
import { tell } from './tell.ts';

const queueName = 'tasks';
const connection = { host: '127.0.0.1', port: Number(process.env['REDIS_PORT']), maxRetriesPerRequest: null };
const flows = new FlowProducer({ connection });

type Data = { id: string; tellPort?: number; previous?: Result };

const worker = new Worker<Data, Result>(queueName, run, { connection, concurrency });
worker.on('error', (error) => process.stderr.write(`${error.stack}\n`));
worker.on('failed', (_job, error) => process.stderr.write(`${error.stack}\n`));
await worker.waitUntilReady();
process.stdout.write('working\n');

async function run(job: Job<Data, Result>): Promise<Result> {
  const { id, tellPort, previous } = job.data;
  switch (job.name) {
    case 'A': {
      tell(tellPort, id);
      const result = next(undefined);
      await addFlow(id, 'E', ['B', 'C', 'D'], result);
      return result;
    }
    case 'LIST':
      tell(tellPort, id);
      await addFlow(
        id,
        'JOIN',
        Array.from({ length: fanWidth }, () => 'ITEM'),
        { n: 0 },
      );
      return { n: fanWidth };
    case 'STEP':
      tell(tellPort, id);
      return next((await childResults(job))[0]);
    case 'E':
    case 'JOIN':
      return sum(await childResults(job));
    default:
      return next(previous);
  }
}

const childResults = async (job: Job): Promise<Result[]> => Object.values(await job.getChildrenValues<Result>());

/** The ids make a second try of the same job add nothing. */
async function addFlow(id: string, last: string, before: string[], previous: Result): Promise<void> {
  await flows.add({
    name: last,
    queueName,
    data: { id },
    opts: { jobId: `${id}-${last}` },
    children: before.map((name, index) => ({
      name,
      queueName,
      data: { id, previous },
      opts: { jobId: `${id}-${name}-${index}` },
    })),
  });
}
