/**
 * Loads a team over HTTP from a file of messages, and asks what is impacted all the while, as fast as the answers come. Begins again at the end of
 * the file, until it is told to stop; says every second how much it was so far.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Agent, get, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const { URL: url = '', TOKEN = '', TEAM = '', FILE = '', LINES = '1', QUESTIONS = '[]' } = process.env;
const bytesPerLine = (await stat(FILE)).size / Number(LINES);
const agent = new Agent({ keepAlive: true });
const authorization = `Bearer ${TOKEN}`;
const startedAt = performance.now();
let bytes = 0;
let answers = 0;

process.once('SIGTERM', () => process.exit(0));
setInterval(() => {
  const seconds = (performance.now() - startedAt) / 1000;
  const figures = { messages: bytes / bytesPerLine / seconds, questions: answers / seconds };
  process.stdout.write(`a second: ${JSON.stringify(figures)}\n`);
}, 1000);
process.stdout.write('loading\n');
const questions = JSON.parse(QUESTIONS) as string[]; // what the bench hands over
await Promise.all([post(), ...questions.map(askOn)]);

async function post(): Promise<never> {
  for (;;) {
    await new Promise<void>((resolve, reject) => {
      const headers = { authorization, 'content-type': 'application/x-ndjson' };
      const posting = request(`${url}/v1/teams/${TEAM}/graph`, { method: 'POST', agent, headers }, (answer) => {
        answer.resume();
        answer.once('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${answer.statusCode}`))));
      }).once('error', reject);
      createReadStream(FILE, { highWaterMark: 256 * 1024 })
        .on('data', (chunk) => {
          bytes += chunk.length;
        })
        .pipe(posting);
    });
  }
}

/** The node may not have come yet. */
async function askOn(question: string): Promise<never> {
  for (;;) {
    const status = await ask(`${url}/v1/teams/${TEAM}${question}`);
    if (status === 200) answers++;
    else if (status === 404) await sleep(20);
    else throw new Error(`${question} answered ${status}`);
  }
}

function ask(address: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(address, { agent, headers: { authorization } }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode));
    }).once('error', reject);
  });
}
