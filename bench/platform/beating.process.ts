/**
 * So many services, each with a connection of its own, that beat every half minute, spread evenly; until it is told to stop. Registers all of
 * them first.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const { URL: url = '', TOKEN = '', SERVICES = '1', EVERY_MS = '30000' } = process.env;
const count = Number(SERVICES);
const everyMs = Number(EVERY_MS);
const agents = Array.from({ length: count }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
let beats = 0;
let slowestMs = 0;

process.once('SIGTERM', () => process.exit(0));
for (let first = 0; first < count; first += 500) {
  await Promise.all(agents.slice(first, first + 500).map((_, index) => beat(first + index)));
}
beats = 0;
slowestMs = 0;
process.stdout.write('beating\n');
setInterval(() => process.stdout.write(`so far: ${JSON.stringify({ beats, slowestMs })}\n`), 1000);
const startedAt = performance.now();
for (let n = 0; ; n++) {
  const dueInMs = startedAt + (n * everyMs) / count - performance.now();
  if (dueInMs > 1) await sleep(dueInMs);
  void beat(n % count);
}

function beat(service: number): Promise<void> {
  const lines = [
    { status: 'OK', component: 'queue', value: `${beats} waiting` },
    { status: 'OK', component: 'memory', value: `${100 + (beats % 50)} MB` },
    { status: 'OK', component: 'uptime', value: `${Math.floor(process.uptime())} s` },
  ];
  const body = JSON.stringify({
    type: `kind-${service % 10}`,
    name: `host-${service}`,
    url: `http://host-${service}:8080`,
    version: '1.2.3',
    region: 'here',
    metadata: { rack: service % 40, os: 'linux' },
    monitoring_status: { lines },
  });
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const sentAt = performance.now();
  return new Promise((resolve, reject) => {
    request(`${url}/services/heartbeat`, { method: 'POST', agent: agents[service], headers }, (answer) => {
      answer.resume();
      answer.once('end', () => {
        if (answer.statusCode !== 204) return reject(new Error(`a beat was answered with ${answer.statusCode}`));
        beats++;
        slowestMs = Math.max(slowestMs, performance.now() - sentAt);
        resolve();
      });
    })
      .once('error', reject)
      .end(body);
  });
}
