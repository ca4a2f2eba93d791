import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { openEvents } from './faultline-events.ts';
import { type LoadClient, serveLoads } from './load.ts';
import type { Shape } from './shapes.ts';

const { URL: url = '', TOKEN = '' } = process.env;
const agent = new Agent({ keepAlive: true });
const authorization = `Bearer ${TOKEN}`;
const names: Record<Shape, string> = { dag: 'DAG', chain: 'CHAIN', fan: 'FAN' };
const last: Record<Shape, string> = { dag: 'E', chain: 'STEP_40', fan: 'JOIN' };
const isFinal = /"status":"(?:success|error|canceled)"/;

/** Through the HTTP interface, like everybody. */
const client: LoadClient = {
  async start(shape, tellPort) {
    const body = JSON.stringify({
      project: 'bench',
      name: names[shape],
      payload: tellPort === undefined ? {} : { tellPort },
    });
    const answer = await ask('POST', '/api/workflows', body);
    const said = await text(answer);
    if (answer.statusCode !== 201) throw new Error(`A start was answered ${answer.statusCode}: ${said}`);
    return (JSON.parse(said) as { id: string }).id; // our own interface
  },
  watch: (onEnded) =>
    openEvents({ url, token: TOKEN }, (event, data) => {
      if (event === 'instance' && isFinal.test(data))
        onEnded((JSON.parse(data) as { instance_id: string }).instance_id); // our own interface
    }),
  async countEnded() {
    const answer = await ask('GET', '/api/workflows?project=bench&name=DAG&status=success&per_page=0');
    answer.resume();
    return Number(answer.headers['x-total-count']);
  },
  async resultOf(shape, id) {
    const said = await text(await ask('GET', `/api/workflows/${id}`));
    const { tasks } = JSON.parse(said) as { tasks: { key: string; result: { n: number } | null }[] }; // our own interface
    return tasks.find(({ key }) => key === last[shape])?.result?.n;
  },
};

function ask(method: string, path: string, body?: string): Promise<IncomingMessage> {
  const headers: OutgoingHttpHeaders = { authorization };
  if (body !== undefined) {
    headers['content-type'] = 'application/json';
    headers['content-length'] = Buffer.byteLength(body);
  }
  return new Promise((resolve, reject) => {
    request(url + path, { method, agent, headers }, resolve)
      .once('error', reject)
      .end(body);
  });
}

serveLoads(client);
