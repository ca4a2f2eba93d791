import { expect, test } from 'vitest';
import { newTestDatabase } from './harness/database.ts';
import { type Service, startService } from './harness/service.ts';

/**
 * Clients write and read one team's graph while the service is killed and started again under them. Each checks its own reads on the way;
 * at the end everything that was acknowledged must be there. FAULTLINE_CRASH_SECONDS makes it longer.
 */
const clients = 8;
const seconds = Number(process.env['FAULTLINE_CRASH_SECONDS'] ?? 10);
const roundMs = 4000;

type Ledger = { nodes: Set<string>; deleted: Set<string>; versions: number; faults: string[] };

test('clients lose nothing that was acknowledged and see no version go backwards', {
  timeout: seconds * 1000 + 150_000,
}, async () => {
  const settings = await newTestDatabase();
  let service: Service | undefined = await startService(settings);
  const team = await ask(service, 'POST', '/v1/teams', { name: 'crashing' });
  const path = `/v1/teams/${(JSON.parse(team.text) as { id: string }).id}`; // our own interface
  const ledger: Ledger = { nodes: new Set(), deleted: new Set(), versions: 0, faults: [] };
  const control = { isOver: false, service: () => service };
  const running = Array.from({ length: clients }, (_, n) => runClient(control, path, `${n}`, ledger));
  const end = Date.now() + seconds * 1000;
  let rounds = 0;
  try {
    while (Date.now() < end) {
      const before = ledger.nodes.size;
      await delay(roundMs / 2 + Math.random() * roundMs);
      while (ledger.nodes.size === before) await delay(20);
      const dying: Service = service;
      service = undefined;
      await dying.kill();
      service = await startService(settings);
      rounds++;
    }
    control.isOver = true;
    await Promise.all(running);
    expect(ledger.faults).toEqual([]);
    expect(rounds).toBeGreaterThan(0);
    expect(ledger.nodes.size).toBeGreaterThan(clients);
    const { text } = await ask(service, 'GET', `${path}/graph/export`);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { source: { name: string }; target?: object }); // our own interface
    const nodes = new Set(lines.map(({ source }) => source.name));
    const tied = new Set(lines.filter(({ target }) => target).map(({ source }) => source.name));
    expect([...ledger.nodes].filter((name) => !nodes.has(name) || !tied.has(name))).toEqual([]);
    expect([...ledger.deleted].filter((name) => nodes.has(name))).toEqual([]);
    // What memory says is what the rows say.
    const count = await ask(service, 'GET', `${path}/labels/Db/nodes/shared/impacted/count`);
    expect(JSON.parse(count.text)).toEqual({ count: tied.size });
  } finally {
    control.isOver = true;
    await service?.kill();
  }
});

type Control = { isOver: boolean; service: () => Service | undefined };

async function runClient(control: Control, path: string, client: string, ledger: Ledger): Promise<void> {
  let version = 0;
  for (let n = 0; !control.isOver; n++) {
    const service = control.service();
    const name = `${client}-${n}`;
    try {
      if (!service) {
        await delay(20);
        continue;
      }
      const see = (answer: Answer): Answer => {
        if (answer.status !== 200) ledger.faults.push(`${answer.status}: ${answer.text}`);
        const seen = Number(answer.version);
        if (!(seen >= version)) ledger.faults.push(`client ${client} saw version ${answer.version} after ${version}`);
        version = Math.max(version, seen);
        return answer;
      };
      const message = { source: { label: 'Web', name }, target: { label: 'Db', name: 'shared' }, rel: { from: n } };
      see(await ask(service, 'POST', `${path}/graph`, [message]));
      ledger.nodes.add(name);
      const found = see(await ask(service, 'GET', `${path}/labels/Web/nodes/${name}/count`));
      if (found.text !== '{"count":1}') ledger.faults.push(`${name} was not to be read: ${found.text}`);
      if (n % 5 !== 4) continue;
      ledger.nodes.delete(name); // from here on it may be gone
      see(await ask(service, 'DELETE', `${path}/labels/Web/nodes/${name}?detach`));
      ledger.deleted.add(name);
    } catch {
      // The service died under this request: whether it was heard is open, so nobody will ask.
      await delay(20);
    }
  }
}

type Answer = { status: number; version: string | null; text: string };

async function ask(service: Service, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await fetch(service.url + path, {
    method,
    headers: {
      authorization: `Bearer ${service.adminToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: answer.status, version: answer.headers.get('x-graph-version'), text: await answer.text() };
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
