import { beforeAll, expect, test } from 'vitest';
import { createTestClock, startTestApp, type TestApp } from '../../test/harness/app.ts';
import { at } from '../../test/harness/graph.ts';
import { changes, newQosTeam, type QosTeam } from '../../test/harness/qos.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ clock: createTestClock(Date.parse('2026-10-03T12:00:00Z')) });
});

const [before, yesterday] = ['2026-10-01', '2026-10-02'];
const down: [number, number][] = changes([0, 43_200]);

async function watched(names: string[]): Promise<QosTeam> {
  const team = await newQosTeam(app);
  await team.add(...names.map((name) => ({ source: at(`Disk:${name}`) })));
  await team.configure({ Disk: 'rule.Up' });
  await app.arrange('PUT', `/v1/teams/${team.teamId}/qos/objectives/Disk`, { target: 99, window_days: 30 });
  await app.arrange('POST', '/notification/channels', {
    team_id: team.teamId,
    name: 'hook',
    type: 'webhook',
    settings: { url: 'http://127.0.0.1:1/' },
    filters: { labels: ['Disk'] },
    on_success: 'change',
  });
  return team;
}

const told = async (team: QosTeam): Promise<string[]> => {
  const { rows } = await app.database.pool.query<{ content: { title: string } }>(
    'select content from notification_deliveries where team_id = $1 order by id',
    [team.teamId],
  );
  return rows.map(({ content }) => content.title).toSorted();
};

test('a label and its nodes that cross their objective are told, once', async () => {
  const team = await watched(['a', 'b', 'c']);
  await team.measure(before, { 'Disk:a': changes(), 'Disk:b': down, 'Disk:c': changes() });
  await team.measure(yesterday, { 'Disk:a': down, 'Disk:b': changes(), 'Disk:c': changes() });
  await team.compute({ day: before });
  expect(await told(team)).toEqual([]); // history
  await team.compute({ day: yesterday });
  // The label was below its objective the day before, and still is.
  const expected = ['Disk a is below its objective', 'Disk b keeps its objective again'];
  expect(await told(team)).toEqual(expected);
  await team.compute({ day: yesterday });
  expect(await told(team)).toEqual(expected);
});

test('a first figure of a label is told; of its nodes, only those below', async () => {
  const team = await watched(['a', 'b']);
  await team.measure(yesterday, { 'Disk:a': down, 'Disk:b': changes() });
  await team.compute({ day: yesterday });
  expect(await told(team)).toEqual(['Disk a is below its objective', 'Disk is below its objective']);
});

test('of very many nodes a hundred are told, and how many more there are', async () => {
  const names = Array.from({ length: 120 }, (_, n) => `n${n}`);
  const team = await watched(names);
  await team.measure(yesterday, Object.fromEntries(names.map((name) => [`Disk:${name}`, [[0, 0]]])));
  await team.compute({ day: yesterday });
  const titles = await told(team);
  expect(titles).toHaveLength(102);
  expect(titles[0]).toBe('120 nodes of Disk crossed their objective');
});

test('a trial tells nobody', async () => {
  const team = await watched(['a']);
  await team.measure(yesterday, { 'Disk:a': down });
  await team.compute({ day: yesterday, dry_run: true });
  expect(await told(team)).toEqual([]);
});
