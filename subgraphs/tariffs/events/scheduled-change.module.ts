import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { collectedGauge } from '../../server/observability/collected-gauge';
import { errorFields } from '../../server/observability/failures';
import { repeat } from '../../server/jobs/repeat';
import type { ChangeFailure, ScheduledChangeRepository } from './scheduled-change.repository';

const INTERVAL_SECONDS = 1;

/**
 * Applies due changes every second: assignments and replacements that take effect, removals, and revocations. Changes that became due
 * while no process ran are applied by the first run.
 */
export function applyScheduledChanges(changes: ScheduledChangeRepository, logger: Logger): () => Promise<void> {
  const onFailure: ChangeFailure = (error, { kind, ids }) => {
    const fields = { failure: errorFields(error), kind, first: ids[0], changes: ids.length };
    logger.error(fields, 'scheduled tariff changes failed and were rescheduled');
  };
  const applyAll = async (isToStop: () => boolean) => {
    while (!isToStop() && (await changes.applyDue(onFailure)));
  };
  return repeat(INTERVAL_SECONDS, applyAll, logger, 'reading scheduled tariff changes failed');
}

/** Registers the gauge of overdue changes; its value is NaN while the database is unavailable. */
export function measureOverdue(changes: ScheduledChangeRepository, registry: Registry): void {
  const name = 'register_tariff_effect_overdue_seconds';
  const help =
    'Seconds since the oldest tariff change that is not applied became due; 0 without one; at most 3600 are allowed';
  collectedGauge(registry, { name, help }, () => changes.overdueSeconds());
}
