/**
 * Posts a file of messages, in a process of its own so that nobody's event loop is shared. Prints the seconds until the answer, and the answer. The file is
 * read before the clock starts, as the rows of the raw COPY are.
 */
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

const { URL: url = '', TOKEN = '', FILE = '' } = process.env;
const messages = await readFile(FILE);
const headers = {
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/x-ndjson',
  'content-length': messages.length,
};
const startedAt = performance.now();
const answer = await new Promise<string>((resolve, reject) => {
  request(url, { method: 'POST', headers }, (response) => {
    text(response).then(resolve, reject);
  })
    .once('error', reject)
    .end(messages);
});
const seconds = (performance.now() - startedAt) / 1000;
process.stdout.write(`${JSON.stringify({ seconds, answer: JSON.parse(answer) })}\n`);
