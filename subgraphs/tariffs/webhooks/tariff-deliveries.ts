import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import { startDeliveries } from '../../delivery/engine';
import type { RetrySchedule } from '../../delivery/schedule';
import { callbackSender } from '../../delivery/sender';
import { webhookOpening } from '../../delivery/webhook-secrets';
import type { Database } from '../../server/database';
import type { DatabaseAddress } from '../../server/database-login';
import { deliveryFacts } from '../database/delivery-facts';
import type { MpxnVault } from '../database/mpxn-vault';
import type { RtiWebhookSeals } from '../database/rti-webhook.repository';
import { TARIFF_JOBS } from '../database/tariff-jobs';
import { eventDelay } from './delay-metric';
import { tariffSource } from './tariff-source';

/**
 * When a delivery is tried again: after 5 seconds, 1 minute, 5 and 30 minutes, 2, 6, 12, 24 and 28 hours, 72 hours and more together
 * (3-decisions-c-d.md, D.3).
 */
export const TARIFF_SCHEDULE: RetrySchedule = {
  delays: [5, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400, 100_800],
};

/** What delivering needs. */
export interface TariffDeliveryOptions {
  readonly address: DatabaseAddress;
  readonly database: Pick<Database, 'reads'>;
  readonly mpxns: MpxnVault;
  readonly seals: RtiWebhookSeals;
  readonly allowLoopback: boolean;
  readonly logger: Logger;
  readonly metrics?: Registry | undefined;
}

/** Delivers events to the webhooks of RTI Users. Every replica does. */
export async function deliverTariffEvents(options: TariffDeliveryOptions): Promise<{ stop(): Promise<void> }> {
  const { address, database, mpxns, seals, logger, metrics } = options;
  const opening = webhookOpening({ openCallback: seals.url.open, openSecret: seals.secret.open });
  const sender = callbackSender({ allowLoopback: options.allowLoopback });
  const deliveries = await startDeliveries({
    address,
    jobsSchema: TARIFF_JOBS,
    source: tariffSource({
      facts: deliveryFacts(database.reads, mpxns, opening),
      attempted: eventDelay(metrics),
      logger,
    }),
    schedule: TARIFF_SCHEDULE,
    sender,
    logger,
    metrics,
    metricPrefix: 'tariff_',
  });
  return {
    async stop() {
      await deliveries.stop();
      sender.close();
    },
  };
}
