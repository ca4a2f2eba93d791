import { expect, test } from 'vitest';
import { startWorkflowApp } from '../../test/harness/workflows.ts';
import { createInstancesStore } from './instances.store.ts';

async function arrange() {
  const app = await startWorkflowApp({ workflows: 't.KEPT: { tasks: [ A ] }\nt.OTHER: { tasks: [ A ] }' });
  const { pool } = app.database;
  const store = createInstancesStore(pool);
  const ids: string[] = [];
  for (let days = 5; days >= 0; days--) {
    const { id } = await app.start('t.KEPT');
    await app.tryTo('POST', `/api/workflows/${id}/cancel`);
    await pool.query(
      `update workflow_instances set created_at = clock_timestamp() - make_interval(days => $2, mins => 1) where id = $1`,
      [id, days],
    );
    ids.push(id);
  }
  const running = await app.start('t.KEPT');
  await pool.query(`update workflow_instances set created_at = clock_timestamp() - interval '9 days' where id = $1`, [
    running.id,
  ]);
  const other = await app.start('t.OTHER');
  await app.tryTo('POST', `/api/workflows/${other.id}/cancel`);
  const left = async () => {
    const { rows } = await pool.query('select id from workflow_instances order by created_at');
    return rows.map(({ id }) => (id === running.id ? 'running' : id === other.id ? 'other' : ids.indexOf(id)));
  };
  return {
    app,
    expire: (keep: { days?: number; count?: number }) => store.expire({ project: 't', name: 'KEPT', ...keep }),
    left,
    ids,
  };
}

test('by age: what is older goes, what runs or is younger stays', async () => {
  const { expire, left } = await arrange();
  expect(await expire({ days: 2.5 })).toBe(3);
  expect(await left()).toEqual(['running', 3, 4, 5, 'other']);
  expect(await expire({ days: 2.5 })).toBe(0);
});

test('by count: the newest stay, and tasks and logs of the others go too', async () => {
  const { app, expire, left, ids } = await arrange();
  expect(await expire({ count: 2 })).toBe(4);
  expect(await left()).toEqual(['running', 4, 5, 'other']);
  const { rows } = await app.database.pool.query('select 1 from workflow_tasks where instance_id = $1', [ids[0]]);
  expect(rows).toEqual([]);
  expect(await expire({ count: 0 })).toBe(2);
  expect(await left()).toEqual(['running', 'other']);
});

test('by both: either is enough to go', async () => {
  const { expire, left } = await arrange();
  await expire({ count: 4, days: 1.5 });
  expect(await left()).toEqual(['running', 4, 5, 'other']);
});
