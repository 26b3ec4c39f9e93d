import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { collectedGauge } from '../../server/observability/collected-gauge';
import { errorFields } from '../../server/observability/failures';
import { repeat } from '../../server/jobs/repeat';
import type { ChangeFailure, ScheduledChangeRepository } from './scheduled-change.repository';

const INTERVAL_SECONDS = 1;
/** Pause before another attempt while a transaction that moves the end of a tariff, or another process, holds the lock. */
const LOCKED_PAUSE_MS = 50;
/** Consecutive attempts that find the lock held, after which the next interval continues. */
const MAX_LOCKED_ATTEMPTS = 6;

/**
 * Applies due changes every second: assignments and replacements that take effect, removals, and revocations. Changes that became due
 * while no process ran are applied by the first run.
 */
export function applyScheduledChanges(changes: ScheduledChangeRepository, logger: Logger): () => Promise<void> {
  const onFailure: ChangeFailure = (error, { kind, ids }) => {
    const fields = { failure: errorFields(error), kind, first: ids[0], changes: ids.length };
    logger.error(fields, 'scheduled tariff changes failed and were rescheduled');
  };
  const work = (isToStop: () => boolean) => applyAllDue(changes, onFailure, isToStop);
  return repeat(INTERVAL_SECONDS, work, logger, 'reading scheduled tariff changes failed');
}

/** Applies due changes until none is due, or the lock is held for long. */
export async function applyAllDue(
  changes: Pick<ScheduledChangeRepository, 'applyDue'>,
  onFailure: ChangeFailure,
  isToStop: () => boolean,
): Promise<void> {
  for (let lockedAttempts = 0; lockedAttempts < MAX_LOCKED_ATTEMPTS && !isToStop();) {
    const outcome = await changes.applyDue(onFailure);
    if (outcome === 'none') return;
    lockedAttempts = outcome === 'locked' ? lockedAttempts + 1 : 0;
    if (outcome === 'locked') await setTimeout(LOCKED_PAUSE_MS);
  }
}

/** Registers the gauge of overdue changes; its value is NaN while the database is unavailable. */
export function measureOverdue(changes: ScheduledChangeRepository, registry: Registry): void {
  const name = 'register_tariff_effect_overdue_seconds';
  const help =
    'Seconds since the oldest tariff change that is not applied became due; 0 without one; at most 3600 are allowed';
  collectedGauge(registry, { name, help }, () => changes.overdueSeconds());
}
