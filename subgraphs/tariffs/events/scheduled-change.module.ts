import type { Database } from '../../server/database/database';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { collectedGauge } from '../../server/observability/collected-gauge';
import { requireEqualClocks, whenSetBack } from '../../server/database/register-clock';
import { errorFields } from '../../server/observability/failures';
import { repeat, stopAll } from '../../server/jobs/repeat';
import type { MpxnCipher } from '../occupancies/mpxn-cipher.repository';
import { correctTimesAhead } from '../occupancies/times-ahead.repository';
import { correctPublicationsAhead } from './publications-ahead.repository';
import type { ChangeFailure, ScheduledChangeRepository } from './scheduled-change.repository';
import { correctWaitingChanges } from './waiting-changes.repository';

const INTERVAL_SECONDS = 1;
/** Seconds between checks whether the clock was set back. */
const CLOCK_INTERVAL_SECONDS = 10;

/**
 * Applies due changes every second: assignments and replacements that take effect, removals, and revocations. Changes that became due
 * while no process ran are applied by the first run. Corrects what was recorded while the clock was ahead, once it is set back.
 */
export function applyScheduledChanges(
  pool: Database['pool'],
  changes: ScheduledChangeRepository,
  mpxns: MpxnCipher,
  logger: Logger,
): () => Promise<void> {
  const onFailure: ChangeFailure = (error, { kind, ids }) => {
    const fields = { failure: errorFields(error), kind, first: ids[0], changes: ids.length };
    logger.error(fields, 'scheduled tariff changes failed and were rescheduled');
  };
  const apply = (isToStop: () => boolean) => applyByClock(pool, changes, onFailure, isToStop);
  // A change that becomes due before the consents of its meter point are corrected would publish an event that seems older than they are.
  const correct = whenSetBack(pool, () =>
    correctTimesAhead(pool, mpxns, logger)
      .finally(() => correctPublicationsAhead(pool))
      .finally(() => correctWaitingChanges(pool)),
  );
  return stopAll([
    repeat(INTERVAL_SECONDS, apply, logger, 'reading scheduled tariff changes failed'),
    repeat(
      CLOCK_INTERVAL_SECONDS,
      correct,
      logger,
      'correcting scheduled tariff changes after a change of the clock failed',
    ),
  ]);
}

/**
 * Applies due changes. Throws CLOCKS_DIFFER if the clock has jumped, after it has applied those that follow no planned instant: what is
 * published before its time cannot be revoked.
 */
export async function applyByClock(
  pool: Database['pool'],
  changes: Pick<ScheduledChangeRepository, 'applyDue'>,
  onFailure: ChangeFailure,
  isToStop: () => boolean,
): Promise<void> {
  await applyAllDue(changes, onFailure, isToStop);
  await requireEqualClocks(pool);
}

/**
 * Applies due changes until none is due, or the lock is held for long. After an attempt that finds the lock held it waits for the lock, in the
 * order of all transactions that do, so that those that move ends of tariffs do not prevent it.
 */
export async function applyAllDue(
  changes: Pick<ScheduledChangeRepository, 'applyDue'>,
  onFailure: ChangeFailure,
  isToStop: () => boolean,
): Promise<void> {
  for (let isPatient = false; !isToStop();) {
    const outcome = await changes.applyDue(onFailure, { isPatient });
    if (outcome === 'none' || (outcome === 'locked' && isPatient)) return;
    isPatient = outcome === 'locked';
  }
}

/** Registers the gauge of overdue changes; its value is NaN while the database is unavailable. */
export function measureOverdue(changes: ScheduledChangeRepository, registry: Registry): void {
  const name = 'register_tariff_effect_overdue_seconds';
  const help =
    'Seconds since the oldest tariff change that is not applied became due; 0 without one; at most 3600 are allowed';
  collectedGauge(registry, { name, help }, () => changes.overdueSeconds());
}
