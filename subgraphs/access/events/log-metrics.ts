import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../server/database';
import { standstillSeconds } from '../database/event-standstill';

/** Measures how long the event log stands still, each time the metrics are read; not a number while the database is away. */
export function measureEventLog(database: Pick<Database, 'pool'>, registry: Registry): void {
  const standstill = new Gauge({
    name: 'event_log_standstill_seconds',
    help: 'Age of the oldest event that no subscription is told of yet, since an earlier transaction on the PostgreSQL server is still open',
    registers: [],
    async collect() {
      this.set(await standstillSeconds(database).catch(() => Number.NaN));
    },
  });
  registry.registerMetric(standstill);
}
