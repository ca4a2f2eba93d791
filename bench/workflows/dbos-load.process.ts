import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type LoadClient, serveLoads } from './load.ts';

const { APP_PORT = '' } = process.env;
const url = `http://127.0.0.1:${APP_PORT}`;
const agent = new Agent({ keepAlive: true });
let listener: (id: string) => void = () => undefined;

const client: LoadClient = {
  start: (shape, tellPort) =>
    new Promise((resolve, reject) => {
      const path = `/${shape}${tellPort === undefined ? '' : `?tell=${tellPort}`}`;
      request(url + path, { method: 'POST', agent }, (answer) => {
        let said = '';
        answer.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          const [id, outcome] = said.split('\n');
          if (outcome === '') resolve(id);
          if (outcome === 'ended') {
            resolve(id);
            listener(id);
          }
        });
      })
        .once('error', reject)
        .end();
    }),
  async watch(onEnded) {
    listener = onEnded;
    return { stop: async () => void (listener = () => undefined) };
  },
  resultOf: (_shape, id) =>
    new Promise((resolve, reject) => {
      request(`${url}/result?id=${id}`, { agent }, (answer) => void text(answer).then((body) => resolve(Number(body))))
        .once('error', reject)
        .end();
    }),
};
serveLoads(client);
