import type { Pool, PoolClient } from 'pg';

/**
 * Runs statements in a transaction of a connection of their own. An error takes all of them back, and a connection that was lost
 * does not return to the pool.
 */
export async function inTransaction<T>(pool: Pool, run: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let lost: Error | undefined;
  const noteLoss = (error: Error): void => {
    lost = error;
  };
  client.on('error', noteLoss);
  try {
    await client.query('BEGIN');
    const result = await run(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(noteLoss);
    throw error;
  } finally {
    client.off('error', noteLoss);
    client.release(lost);
  }
}
