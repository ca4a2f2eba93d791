import type { TestApp } from './app.ts';
import { depends } from './graph.ts';
import { changes, newQosTeam, type QosTeam } from './qos.ts';

export const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

/**
 * A team with figures of yesterday: Shop:s ─▶ Api:a ─▶ Disk:d1, down for 47 minutes from 13:12, and Disk:d2, always up. Its configuration
 * has two versions, and the shop an objective.
 */
export async function newShop(app: TestApp): Promise<QosTeam> {
  const team = await newQosTeam(app);
  await team.add(depends('Api:a', 'Disk:d1'), depends('Api:a', 'Disk:d2'), depends('Shop:s', 'Api:a'));
  await team.configure({ Api: 'operation.OR[Disk]', Disk: 'rule.Up' });
  await team.configure({ Shop: 'aggregation.AVERAGE[Api]', Api: 'operation.AND[Disk]', Disk: 'rule.Up' });
  await team.measure(yesterday, { 'Disk:d1': changes([47_520, 50_340]), 'Disk:d2': changes() });
  await team.compute({ day: yesterday });
  await app.arrange('PUT', `/v1/teams/${team.teamId}/qos/objectives/Shop`, { target: 99.5, window_days: 7 });
  return team;
}
