import type { Pool } from 'pg';
import { until } from './until';

/** Runs a statement that locks something, in a transaction of a pool, until it is released. */
export async function heldBy(pool: Pool, lock: string, values: unknown[]) {
  const session = await pool.connect();
  await session.query('begin');
  await session.query(lock, values);
  const waiting = `select pg_stat_clear_snapshot(), (select count(*)::int from pg_stat_activity
    where pg_backend_pid() = any(pg_blocking_pids(pid))) as sessions`;
  return {
    isWaitedFor: (by = 1) =>
      until(async () => ((await session.query(waiting)).rows[0].sessions >= by ? true : undefined)),
    release: async () => {
      await session.query('rollback');
      session.release();
    },
  };
}
