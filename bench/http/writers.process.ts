/** Writes over HTTP as fast as the answers come, with so many writers at once, until it is told to stop; then says how much it was. */
import { Agent, request } from 'node:http';

const { URL: url = '', TOKEN = '', WRITERS = '50' } = process.env;
const agent = new Agent({ keepAlive: true, maxSockets: Number(WRITERS) });
const startedAt = performance.now();
const stop = new AbortController();
let written = 0;

process.once('SIGTERM', () => stop.abort());
process.stdout.write('writing\n');
await Promise.all(Array.from({ length: Number(WRITERS) }, (_, writer) => writeOn(writer)));
process.stdout.write(`written ${JSON.stringify({ perSecond: (written * 1000) / (performance.now() - startedAt) })}\n`);
agent.destroy();

async function writeOn(writer: number): Promise<void> {
  for (let count = writer; !stop.signal.aborted; count++) {
    const name = `${process.pid}-${writer}-${count}`;
    const kind = count % 3;
    if (kind === 0)
      await post('/v1/news', { title: `News ${name}`, message: 'What happened, in a few words. '.repeat(10) });
    else if (kind === 1) await post('/v1/users', { name: `user-${name}` });
    else await post('/v1/users/me/tokens', { name: `token ${name}`, scopes: ['Read'] });
    written++;
  }
}

function post(path: string, body: object): Promise<void> {
  const text = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  };
  return new Promise((resolve, reject) => {
    request(url + path, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.once('end', () =>
        answer.statusCode === 201 ? resolve() : reject(new Error(`${path} answered ${answer.statusCode}`)),
      );
    })
      .once('error', reject)
      .end(text);
  });
}
