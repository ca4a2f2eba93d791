import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, test, vi } from 'vitest';
import { adminToken, type RunningServer, runCommand, startService } from './harness/command.ts';
import { newTestDirectory } from './harness/database.ts';

// Services start and load again and again; two minutes are not enough on a machine that does something else besides.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let dataDir: string;
let server: RunningServer;
let team: { id: string; name: string; createdAt: string };

const start = () => startService({ FAULTLINE_DATA_DIR: dataDir, FAULTLINE_DEMO: 'true', FAULTLINE_LOG: 'debug' });

// The answers are the service's own, which has its own tests; here they are only looked into.
// oxlint-disable-next-line typescript/no-explicit-any
async function ask(path: string): Promise<any> {
  const answer = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${adminToken}` } });
  expect(answer.status, path).toBe(200);
  return answer.json();
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await wait(100);
  }
}

const findTeam = async (wanted: string) => {
  const { teams } = await ask('/v1/teams');
  return teams.find(({ name }: { name: string }) => name === wanted);
};

const dayBefore = (days: number): string =>
  new Date(Date.parse(team.createdAt) - days * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  dataDir = join(await newTestDirectory(), 'data');
  server = await start();
  const begun = await until(() => findTeam('demo (loading)'));
  // In the middle of it, wherever that is.
  await until(async () => ((await ask(`/v1/teams/${begun.id}/rules`)).rules.length > 0 ? true : undefined));
  await server.stop('SIGKILL');
  server = await start();
  team = await until(() => findTeam('demo'));
  expect(team.id).toBe(begun.id);
});

test('a fresh service ends with a week of figures for every label, although it was killed while it loaded them', async () => {
  const { labels } = await ask(`/v1/teams/${team.id}/statistics?start=${dayBefore(7)}&end=${dayBefore(1)}`);
  expect(labels.map(({ label, days }: { label: string; days: number }) => [label, days])).toEqual(
    ['Api', 'Application', 'Database', 'Datacenter', 'Offer', 'Pool', 'Rack', 'Server', 'Website'].map((label) => [
      label,
      7,
    ]),
  );
  const averages = labels.map(({ average }: { average: number }) => average);
  expect(Math.min(...averages)).toBeGreaterThan(98);
});

test('the explanation of the bad day leads from the offer to the disk that was full, for 47 minutes', async () => {
  const query = `label=Offer&name=Checkout&day=${dayBefore(3)}`;
  const { node: offer } = await ask(`/v1/teams/${team.id}/qos/explain?${query}`);
  const path = [offer];
  while (path.at(-1).dependencies?.length > 0) path.push(path.at(-1).dependencies[0]);
  expect(path.map(({ label, name }) => `${label} ${name}`)).toEqual([
    'Offer Checkout',
    'Application checkout-web',
    'Api orders',
    'Database orders-db',
  ]);
  expect(path.map(({ value }) => value)).toEqual([96.736, 96.736, 96.736, 96.736]);
  expect(path.at(-1).checks[0]).toMatchObject({ check: 'disk used', cost_seconds: 47 * 60 });
});

test('an application that had left the orders an hour before is not blamed for them', async () => {
  const query = `label=Application&name=newsletter-composer&start=${dayBefore(3)}&end=${dayBefore(3)}`;
  const { data } = await ask(`/v1/teams/${team.id}/qos?${query}`);
  expect(data).toMatchObject([{ day: dayBefore(3), value: 100 }]);
});

test('there are news, services, a channel that is off, two versions of the configuration, and nothing twice', async () => {
  expect((await ask('/v1/news')).news).toHaveLength(4);
  expect(await ask('/services/shop-agent')).toHaveLength(3);
  expect((await ask(`/notification/channels?team_id=${team.id}`)).channels).toMatchObject([{ enabled: false }]);
  expect((await ask(`/v1/teams/${team.id}/configs`)).configs).toHaveLength(2);
  expect((await ask(`/v1/teams/${team.id}/checks`)).checks).toHaveLength(5);
});

test('the dashboard for Grafana asks for metrics that there are, and its panels are on a grid without overlaps', async () => {
  const dashboard = JSON.parse(await readFile(new URL('../docs/grafana/faultline.json', import.meta.url), 'utf8'));
  type Panel = {
    type: string;
    title: string;
    targets?: { expr: string }[];
    gridPos: Record<'x' | 'y' | 'w' | 'h', number>;
  };
  const panels: Panel[] = dashboard.panels;
  const metrics = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } });
  const known = new Set((await metrics.text()).split('\n').map((line) => /^\w+/.exec(line)?.[0]));
  const asked = JSON.stringify(dashboard).match(/\b(faultline|process|nodejs)_\w+/g) ?? [];
  expect(asked.filter((name) => !known.has(name))).toEqual([]);
  expect(new Set(asked).size).toBeGreaterThan(5);
  expect(panels.filter(({ type, targets = [] }) => type !== 'row' && targets.length === 0)).toEqual([]);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(dashboard).toMatchObject({
    id: null,
    schemaVersion: expect.any(Number),
    __inputs: [{ name: 'DS_PROMETHEUS', pluginId: 'prometheus' }],
  });
});

test('a workflow of the examples computes yesterday and writes what it found into the news', async () => {
  const env = { FAULTLINE_URL: server.url, FAULTLINE_TOKEN: adminToken };
  expect(await runCommand(['workflow', 'run', 'shop.QUALITY_REPORT'], { env })).toMatchObject({
    code: 0,
  });
  const title = `Quality on ${dayBefore(1)}`;
  type Item = { title: string; message: string };
  const report = await until(async () => (await ask('/v1/news')).news.find((item: Item) => item.title === title));
  expect(report.message).toMatch(/^\d+ nodes, worst label first\.\n(\w+: \d+\.\d{3} %\n?){9}$/);
});

test('orders have gone well, failed for a reason, and wait for somebody', async () => {
  type Order = { id: string; status: string; comment: string };
  const statusOf = (orders: Order[], word: string) => orders.find(({ comment }) => comment.startsWith(word))?.status;
  const orders = await until(async () => {
    const found: Order[] = await ask('/api/workflows?project=shop&name=ORDER');
    const isSettled = statusOf(found, 'goes') === 'success' && statusOf(found, 'fails') === 'error';
    return isSettled ? found : undefined;
  });
  expect(orders).toHaveLength(3);
  const idOf = (word: string) => orders.find(({ comment }) => comment.startsWith(word))?.id;
  const { tasks } = await ask(`/api/workflows/${idOf('fails')}`);
  expect(tasks.find(({ status }: { status: string }) => status === 'error').error.message).toBe(
    'Order L-1042 cannot be reserved: the chandelier is sold out.',
  );
  const waiting = await until(async () => {
    const found = await ask(`/api/workflows/${idOf('waits')}`);
    return found.tasks.find(
      ({ key, status }: { key: string; status: string }) => key === 'SIGN_OFF' && status === 'progress',
    );
  });
  expect(waiting.run).toBe('approval');
});

test('faultline demo leaves a team that is there alone, and --again repeats without harm', async () => {
  const env = { FAULTLINE_URL: server.url, FAULTLINE_TOKEN: adminToken };
  expect(await runCommand(['demo'], { env })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^faultline: There is a team demo already\. --again .*\n$/),
  });
  await runCommand(['team', 'create', 'mine'], { env });
  expect(await runCommand(['demo', '--team', 'mine', '--again'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The team mine is not the example: nothing was changed.'),
  });
  const again = await runCommand(['demo', '--again', '--json'], { env });
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(again.stdout)).toMatchObject({ team: { id: team.id, name: 'demo' }, badDay: dayBefore(3) });
  expect((await ask(`/v1/teams/${team.id}/configs`)).configs).toHaveLength(2);
  const titles = (await ask('/v1/news')).news.map(({ title }: { title: string }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

test('a database that has something in it is left alone', async () => {
  await runCommand(['team', 'delete', 'demo', '--yes'], {
    env: { FAULTLINE_URL: server.url, FAULTLINE_TOKEN: adminToken },
  });
  await server.stop();
  server = await start();
  await until(async () => (server.output().includes('the database is not empty') ? true : undefined));
  expect(await findTeam('demo')).toBeUndefined();
  expect((await server.stop()).code).toBe(0);
});
