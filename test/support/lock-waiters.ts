import { inspect } from 'node:util';
import type { ClientBase } from 'pg';
import { until } from './until';

/** SQL: whether a row of `pg_locks` is of this database. Numbers of tables are the same in all copies of a database. */
export const OF_THIS_DATABASE = 'database = (select oid from pg_database where datname = current_database())';

/**
 * Counts the sessions that wait for a lock of the session of the query. PostgreSQL lists the sessions once per
 * transaction: without a new list, a session that connects after the first query would never be found.
 */
const WAITERS = `select pg_stat_clear_snapshot(), count(*)::int as waiters from pg_stat_activity
  where pg_backend_pid() = any(pg_blocking_pids(pid))`;

/**
 * Waits until exactly one session waits for a lock of the holder's transaction. Throws at once if `work`, which is to
 * wait for it, ends before.
 */
export async function untilOneWaits(holder: Pick<ClientBase, 'query'>, work?: Promise<unknown>): Promise<void> {
  let ended: string | undefined;
  work?.then(
    (result) => (ended = inspect(result)),
    (error: unknown) => (ended = inspect(error)),
  );
  await until(async () => {
    const { rows } = await holder.query<{ waiters: number }>(WAITERS);
    if (rows[0]?.waiters === 1) return true;
    if (ended !== undefined) throw new Error(`the work ended without waiting for the lock: ${ended}`);
    return undefined;
  });
}
