/** Posts a file of messages, in a process of its own so that nobody's event loop is shared. Prints the seconds until the answer, and the answer. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

const { URL: url = '', TOKEN = '', FILE = '' } = process.env;
const headers = {
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/x-ndjson',
  'content-length': (await stat(FILE)).size,
};
const startedAt = performance.now();
const answer = await new Promise<string>((resolve, reject) => {
  const posting = request(url, { method: 'POST', headers }, (response) => {
    text(response).then(resolve, reject);
  }).once('error', reject);
  createReadStream(FILE, { highWaterMark: 1024 * 1024 }).pipe(posting);
});
const seconds = (performance.now() - startedAt) / 1000;
process.stdout.write(`${JSON.stringify({ seconds, answer: JSON.parse(answer) })}\n`);
