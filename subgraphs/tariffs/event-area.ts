import { webhookSeal } from '../delivery/webhook-secrets';
import type { DatabaseAddress } from '../server/database-login';
import { measureEventLog } from '../server/event-standstill';
import { passedRateLimits } from '../server/rate-limits';
import { forgetPassed } from '../server/retention';
import { ConsentLists } from './database/consent-lists';
import { ConsentRepository } from './database/consent.repository';
import { EffectRepository } from './database/effect.repository';
import { eventDeliveries } from './database/event-deliveries';
import { RtiUserLists } from './database/rti-user-lists';
import { RtiWebhookLists } from './database/rti-webhook-lists';
import { RtiWebhookRepository, type RtiWebhookSeals } from './database/rti-webhook.repository';
import { subjectHash } from './database/subject-hash';
import { SupplierLists } from './database/supplier-lists';
import { TariffEventLog } from './database/tariff-event-log';
import { TariffFacts } from './database/tariff-facts';
import { unattemptedSeconds } from './database/unattempted-deliveries';
import { measureOverdue, sweepEffects } from './events/effect-sweep';
import type { Area, Foundation } from './foundation';
import { RtiWebhookResolver } from './resolvers/rti-webhook.resolver';
import { TariffConsentResolver } from './resolvers/tariff-consent.resolver';
import { TariffEventResolver, readableTariffEvent } from './resolvers/tariff-event.resolver';
import { measureUnattempted } from './webhooks/delay-metric';
import { deliverTariffEvents } from './webhooks/tariff-deliveries';

/** Seconds between looks for webhooks of RTI Users that were removed, and for limits that are over. */
const FORGET_EVERY = 30;

/**
 * READ FIRST: consents, webhooks and events (3-decisions-c-d.md, D.3). Triggers plan what becomes due (`migrations/0002-events.ts`), a sweep
 * lets it happen (`effect.repository.ts`), events plan their deliveries, the engine makes them.
 */
export async function startEventArea(foundation: Foundation, address: DatabaseAddress): Promise<Area> {
  const { database, mpxns, keys, contacts, logger, metrics, allowLoopback } = foundation;
  const seals: RtiWebhookSeals = {
    url: webhookSeal(keys.encryptionKey, 'callback'),
    secret: webhookSeal(keys.encryptionKey, 'secret'),
  };
  const effects = new EffectRepository(database.pool);
  const log = new TariffEventLog(database, mpxns);
  if (metrics) {
    measureOverdue(effects, metrics);
    measureUnattempted(() => unattemptedSeconds(database), metrics);
    measureEventLog(database, metrics, 'tariff_');
  }
  const deliveries = await deliverTariffEvents({ address, database, mpxns, seals, allowLoopback, logger, metrics });
  const sweep = sweepEffects(effects, logger);
  const webhooks = new RtiWebhookRepository(database, seals);
  const passed = [() => webhooks.forgetRemoved(), passedRateLimits(database.pool)];
  const stopForgetting = forgetPassed(passed, FORGET_EVERY, logger);
  const reads = {
    suppliers: new SupplierLists(database),
    rtiUsers: new RtiUserLists(database, contacts),
    facts: new TariffFacts(database),
  };
  const consents = new ConsentRepository(database, mpxns, subjectHash(keys));
  return {
    resolvers: [
      new TariffConsentResolver({ ...reads, consents, lists: new ConsentLists(database, mpxns) }),
      new RtiWebhookResolver({
        ...reads,
        webhooks,
        lists: new RtiWebhookLists(database, seals),
        realm: { allowLoopback },
      }),
      new TariffEventResolver({ ...reads, log, deliveries: eventDeliveries(database) }),
    ],
    references: {
      TariffEvent: ({ id }: { id: string }, context) => readableTariffEvent({ ...reads, log }, id, context),
    },
    async stop() {
      await Promise.all([sweep.stop(), deliveries.stop(), stopForgetting()]);
    },
  };
}
