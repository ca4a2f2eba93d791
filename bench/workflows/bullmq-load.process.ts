import { randomUUID } from 'node:crypto';
import { type FlowJobNode, FlowProducer, Job, Queue, QueueEvents } from 'bullmq';
import { type LoadClient, serveLoads } from './load.ts';
import { chainLength, type Result, type Shape } from './shapes.ts';

const queueName = 'tasks';
const connection = { host: '127.0.0.1', port: Number(process.env['REDIS_PORT']) };
const queue = new Queue(queueName, { connection });
const flows = new FlowProducer({ connection });
const last: Record<Shape, string> = { dag: 'E', fan: 'JOIN', chain: 'STEP-0' };
const tasksInDag = 5;

const client: LoadClient = {
  async start(shape, tellPort) {
    const id = randomUUID();
    if (shape === 'chain') await flows.add(chainFrom(0, id, tellPort));
    else await queue.add(shape === 'dag' ? 'A' : 'LIST', { id, tellPort }, { jobId: `${id}-first` });
    return id;
  },
  async watch(onEnded) {
    const events = new QueueEvents(queueName, { connection });
    await events.waitUntilReady();
    const endings = Object.values(last).map((name) => `-${name}`);
    events.on('completed', ({ jobId }) => {
      const ending = endings.find((one) => jobId.endsWith(one));
      if (ending !== undefined) onEnded(jobId.slice(0, -ending.length));
    });
    return { stop: () => events.close() };
  },
  countEnded: async () => (await queue.getCompletedCount()) / tasksInDag,
  async resultOf(shape, id) {
    const job = await Job.fromId<unknown, Result>(queue, `${id}-${last[shape]}`);
    return job?.returnvalue.n;
  },
};

/** The first step is the innermost child. */
function chainFrom(place: number, id: string, tellPort: number | undefined): FlowJobNode {
  const job = { name: 'STEP', queueName, opts: { jobId: `${id}-STEP-${place}` } };
  if (place === chainLength - 1) return { ...job, data: { id, tellPort } };
  return { ...job, data: { id }, children: [chainFrom(place + 1, id, tellPort)] };
}

await queue.waitUntilReady();
serveLoads(client);
