import { columnCipher } from '../../delivery/requests/webhook-ciphers';
import { expiredRateLimits } from '../../server/callers/rate-limits';
import type { DatabaseAddress } from '../../server/database/database-login';
import { measureEventLog } from '../../server/event-log/event-log-lag';
import { keyedHash } from '../../server/keyed-hash';
import { purgePeriodically } from '../../server/retention';
import { subjectHash } from '../consents/consent';
import { ConsentQueries } from '../consents/consent.queries';
import { ConsentRepository } from '../consents/consent.repository';
import { TariffConsentResolver } from '../consents/tariff-consent.resolver';
import type { SubgraphModule, TariffDependencies } from '../dependencies';
import { measureUnattempted } from '../webhooks/delay-metric.flow';
import { unattemptedSeconds } from '../webhooks/delivery.queries';
import { RtiWebhookQueries } from '../webhooks/rti-webhook.queries';
import { RtiWebhookRepository, type RtiWebhookCiphers } from '../webhooks/rti-webhook.repository';
import { RtiWebhookResolver } from '../webhooks/rti-webhook.resolver';
import { deliverTariffEvents } from '../webhooks/tariff-deliveries.flow';
import { applyScheduledChanges, measureOverdue } from './scheduled-change.module';
import { ScheduledChangeRepository, endedChanges } from './scheduled-change.repository';
import { TariffEventQueries } from './tariff-event.queries';
import { TariffEventResolver, readableTariffEvent } from './tariff-event.resolver';

/** Seconds between purges of the webhooks of removed RTI Users, of expired rate limits and of scheduled changes that have ended. */
const PURGE_INTERVAL_SECONDS = 30;

/**
 * READ FIRST: consents, webhooks and events (decisions C/D, D.3). Triggers schedule changes (`migrations/0002-events.ts`);
 * `scheduled-change.repository.ts` applies them when they are due and writes their events; the fan-out plans deliveries, and the delivery
 * engine sends them.
 */
export async function startEventModule(
  dependencies: TariffDependencies,
  address: DatabaseAddress,
): Promise<SubgraphModule> {
  const { database, mpxns, keys, suppliers, rtiUsers, tariffQueries, logger, metrics } = dependencies;
  const { callbackUrlPolicy: urlPolicy } = dependencies;
  const { allowLoopback } = urlPolicy;
  const ciphers: RtiWebhookCiphers = {
    url: columnCipher(keys.encryptionKey, 'callback'),
    secret: columnCipher(keys.encryptionKey, 'secret'),
  };
  const changes = new ScheduledChangeRepository(database.pool);
  const events = new TariffEventQueries(database, mpxns);
  if (metrics) {
    measureOverdue(changes, metrics);
    measureUnattempted(() => unattemptedSeconds(database), metrics);
    measureEventLog(database, metrics, 'tariff_');
  }
  const deliveries = await deliverTariffEvents({ address, database, mpxns, ciphers, allowLoopback, logger, metrics });
  const stopApplying = applyScheduledChanges(database.pool, changes, mpxns, logger);
  const webhooks = new RtiWebhookRepository(database, ciphers, keyedHash(keys.hashKey, 'audited webhook address'));
  const expired = [() => webhooks.purgeRemoved(), expiredRateLimits(database.pool), ...endedChanges(database.pool)];
  const stopPurge = purgePeriodically(database.pool, expired, PURGE_INTERVAL_SECONDS, logger);
  const reads = { suppliers, rtiUsers, tariffQueries };
  const consents = new ConsentRepository(database, mpxns, subjectHash(keys));
  return {
    resolvers: [
      new TariffConsentResolver({ ...reads, consents, queries: new ConsentQueries(database, mpxns) }),
      new RtiWebhookResolver({ ...reads, webhooks, queries: new RtiWebhookQueries(database, ciphers), urlPolicy }),
      new TariffEventResolver({ ...reads, events }),
    ],
    references: {
      TariffEvent: ({ id }: { id: string }, context) => readableTariffEvent({ ...reads, events }, id, context),
    },
    endWork: (forced) => deliveries.stop(forced),
    async stop(forced) {
      await Promise.all([stopApplying(), deliveries.stop(forced), stopPurge()]);
    },
  };
}
