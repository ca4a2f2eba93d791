import { randomUUID } from 'node:crypto';
import { Client, Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { type LoadClient, serveLoads } from './load.ts';
import { fanWidth, type Shape } from './shapes.ts';

const { DATABASE_URL: connectionString = '' } = process.env;
const pool = new Pool({ connectionString, max: 20 });
const boss = new PgBoss({ connectionString, supervise: false, schedule: false, migrate: false, max: 1 });
await boss.start();

const first: Record<Shape, { key: string; waiting: number }> = {
  dag: { key: 'A', waiting: 3 },
  chain: { key: 'STEP', waiting: 0 },
  fan: { key: 'LIST', waiting: fanWidth },
};

const client: LoadClient = {
  async start(shape, tellPort) {
    const id = randomUUID();
    const { key, waiting } = first[shape];
    const connection = await pool.connect();
    try {
      await connection.query('begin');
      await connection.query({
        name: 'dag',
        text: 'insert into dags (id, waiting) values ($1, $2)',
        values: [id, waiting],
      });
      const db = { executeSql: (text: string, values?: unknown[]) => connection.query(text, values) };
      await boss.send('tasks', { id, key, place: 0, tellPort }, { db });
      await connection.query('commit');
    } finally {
      connection.release();
    }
    return id;
  },
  async watch(onEnded) {
    const listener = new Client({ connectionString });
    await listener.connect();
    listener.on('notification', ({ payload = '' }) => payload.split(',').forEach(onEnded));
    await listener.query('listen dag_ended');
    return { stop: () => listener.end() };
  },
  async resultOf(_shape, id) {
    const { rows } = await pool.query<{ n: number }>(`select (result ->> 'n')::integer as n from dags where id = $1`, [
      id,
    ]);
    return rows[0]?.n;
  },
};
serveLoads(client);
