import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { askedGauge } from '../../server/asked-gauge';
import { failureFacts } from '../../server/failures';
import { repeat } from '../../server/repeat';
import type { EffectRepository, EffectsFailed } from '../database/effect.repository';

const EVERY_SECONDS = 1;

/**
 * Lets happen what has become due: tariffs and steps that begin to apply, consents that end, alone or with a removal. What was not
 * done, since nothing ran, is done by the next run.
 */
export function sweepEffects(effects: EffectRepository, logger: Logger): { stop(): Promise<void> } {
  let stopping = false;
  const failed: EffectsFailed = (error, { kind, ids }) => {
    const [first] = ids;
    const facts = { failure: failureFacts(error), kind, first, effects: ids.length };
    logger.error(facts, 'effects of tariffs failed and were put aside; they are tried again');
  };
  const happen = async () => {
    while (!stopping && (await effects.happenSome(failed)));
  };
  const stop = repeat(EVERY_SECONDS, happen, logger, 'tariffs that begin to apply could not be told of yet');
  return {
    async stop() {
      stopping = true;
      await stop();
    },
  };
}

/** Measures what is due and was not told of yet, each time the metrics are read; not a number while the database is away. */
export function measureOverdue(effects: EffectRepository, registry: Registry): void {
  const name = 'register_tariff_effect_overdue_seconds';
  const help =
    'Seconds for which the oldest change of a tariff that has taken effect has brought about no event yet; at most 3600 is allowed';
  askedGauge(registry, { name, help }, () => effects.overdueSeconds());
}
