import type pg from 'pg';

/** Runs `work` in a transaction on one client of the pool. A client that cannot even roll back is thrown away. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((broken: Error) => {
      failure = broken;
    });
    throw error;
  } finally {
    client.release(failure);
  }
}
