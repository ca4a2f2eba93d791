/**
 * Asks `/api/ping` at a fixed rate and prints how long the answers took.
 *
 * Each request has a moment at which it is due, and its time counts from there, not from when it was really sent: if the service (or this
 * process) stalls, all requests that should have gone out meanwhile count with their whole delay. A prober that waits for an answer
 * before it asks again would report one slow request instead.
 */
import { Agent, get } from 'node:http';

const { URL: url = '', RATE = '200', SECONDS = '5' } = process.env;
const rate = Number(RATE);
const total = Math.round(rate * Number(SECONDS));
const agent = new Agent({ keepAlive: true, maxSockets: 100 });
const latencies: number[] = [];

await warmUp();
const startedAt = performance.now() + 50;
const dueAt = (index: number): number => startedAt + (index * 1000) / rate;
await new Promise<void>((resolve, reject) => {
  let next = 0;
  const timer = setInterval(() => {
    for (; next < total && dueAt(next) <= performance.now(); next++) {
      const due = dueAt(next);
      askDueAt(due).then(() => latencies.length === total && resolve(), reject);
    }
    if (next === total) clearInterval(timer);
  }, 1);
});
agent.destroy();
const sorted = latencies.toSorted((a, b) => a - b);
const percentile = (part: number): number => sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)];
process.stdout.write(`${JSON.stringify({ p50: percentile(0.5), p99: percentile(0.99), max: percentile(1) })}\n`);

async function askDueAt(due: number): Promise<void> {
  await ask();
  latencies.push(performance.now() - due);
}

async function warmUp(): Promise<void> {
  for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 10 }, ask));
}

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (answer) => {
      answer.resume();
      answer.once('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`ping answered ${answer.statusCode}`)),
      );
    }).once('error', reject);
  });
}
