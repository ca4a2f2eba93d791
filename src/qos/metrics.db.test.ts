import { expect, test } from 'vitest';
import { adminToken, createTestClock, startTestApp } from '../../test/harness/app.ts';
import { at } from '../../test/harness/graph.ts';
import { changes, newQosTeam } from '../../test/harness/qos.ts';

test('Prometheus reads the newest figure and the budget of each label, and only of teams that the reader may see', async () => {
  const app = await startTestApp({ clock: createTestClock(Date.parse('2026-10-03T12:00:00Z')) });
  const [mine, other] = [await newQosTeam(app), await newQosTeam(app)];
  for (const team of [mine, other]) {
    await team.add({ source: at('Disk:d') });
    await team.configure({ Disk: 'rule.Up' });
    await team.measure('2026-10-01', { 'Disk:d': changes([0, 8640]) });
    await team.measure('2026-10-02', { 'Disk:d': changes() });
    await team.compute({ start: '2026-10-01', end: '2026-10-02' });
  }
  await app.arrange('PUT', `/v1/teams/${mine.teamId}/qos/objectives/Disk`, { target: 90, window_days: 10 });
  const member = await app.createUser();
  await app.grant(mine.teamId, member.name, 'member');
  const { token } = await app.createToken(member.id, ['Read']);
  const linesFor = async (reader: string): Promise<string[]> =>
    (await app.request('GET', '/metrics', { token: reader })).text
      .split('\n')
      .filter((line) => line.startsWith('faultline_qos'));
  const { name } = await app.arrange('GET', `/v1/teams/${mine.teamId}`);
  const lines = await linesFor(token);
  expect(lines).toContain(`faultline_qos_label_percent{team="${name}",label="Disk"} 100`);
  expect(lines).toContain(`faultline_qos_budget_left_percent{team="${name}",label="Disk"} 90`);
  expect(lines.every((line) => line.includes(`team="${name}"`))).toBe(true);
  const percents = (await linesFor(adminToken)).filter((line) => line.startsWith('faultline_qos_label_percent'));
  expect(percents).toHaveLength(2);
});
