import type { Registry } from 'prom-client';
import { askedGauge } from './asked-gauge';
import type { Database } from './database';
import { IS_UNSETTLED } from './event-cursor';

/** The first ones tell: what stands in the log behind a thousand others is seldom older. */
const OLDEST_UNSETTLED = `
  select coalesce(extract(epoch from register_now() - min(recorded_at)), 0)::float8 as seconds
  from (select recorded_at from event where ${IS_UNSETTLED} order by era, tx, position limit 1000) held_up`;

/**
 * Age in seconds of the oldest event that no reader is told of yet, since a transaction that began before it is still under way, be it in
 * another database of the server; 0 when the log does not stand still.
 */
async function standstillSeconds({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(OLDEST_UNSETTLED);
  return Math.max(0, rows[0]?.seconds ?? 0);
}

/**
 * Measures how long an event log stands still, each time the metrics are read; not a number while the database is away.
 *
 * @param prefix of the name, where a process has several logs
 */
export function measureEventLog(database: Pick<Database, 'pool'>, registry: Registry, prefix = ''): void {
  const name = `${prefix}event_log_standstill_seconds`;
  const help =
    'Age of the oldest event that no subscription is told of yet, since an earlier transaction on the PostgreSQL server is still open';
  askedGauge(registry, { name, help }, () => standstillSeconds(database));
}
