import type { ClientBase } from 'pg';
import { until } from './until';

/**
 * Counts the sessions that wait for a lock of the session of the query. PostgreSQL lists the sessions once per
 * transaction: without a new list, a session that connects after the first query would never be found.
 */
const WAITERS = `select pg_stat_clear_snapshot(), count(*)::int as waiters from pg_stat_activity
  where pg_backend_pid() = any(pg_blocking_pids(pid))`;

/** Waits until exactly one session waits for a lock of the holder's transaction. */
export async function untilOneWaits(holder: Pick<ClientBase, 'query'>): Promise<void> {
  await until(async () => {
    const { rows } = await holder.query<{ waiters: number }>(WAITERS);
    return rows[0]?.waiters === 1 ? true : undefined;
  });
}
