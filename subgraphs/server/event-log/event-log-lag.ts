import type { Registry } from 'prom-client';
import { collectedGauge } from '../observability/collected-gauge';
import type { Database } from '../database/database';
import { IS_UNSTABLE } from './event-cursor';

/** Reads the age of the first 1,000 unstable events only: later ones are rarely older. */
const OLDEST_UNSTABLE = `
  select coalesce(extract(epoch from register_now() - min(recorded_at)), 0)::float8 as seconds
  from (select recorded_at from event where ${IS_UNSTABLE} order by era, tx, position limit 1000) delayed`;

/**
 * Returns the age in seconds of the oldest event that no reader receives yet, because an earlier transaction is still
 * running, in this or another database of the server; 0 if there is none.
 */
async function lagSeconds({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(OLDEST_UNSTABLE);
  return Math.max(0, rows[0]?.seconds ?? 0);
}

/**
 * Registers the metric of the lag of an event log. It is NaN while the database is unavailable.
 *
 * @param prefix prefix of the metric's name, for a process with several logs
 */
export function measureEventLog(database: Pick<Database, 'pool'>, registry: Registry, prefix = ''): void {
  const name = `${prefix}event_log_standstill_seconds`;
  const help =
    'Age of the oldest event that subscriptions do not send yet, because an earlier transaction on the PostgreSQL server is open';
  collectedGauge(registry, { name, help }, () => lagSeconds(database));
}
