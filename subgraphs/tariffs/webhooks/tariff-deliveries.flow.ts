import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import type { Assembled, DeliverySource, PendingDelivery } from '../../delivery/delivery';
import { type Deliveries, startDeliveries } from '../../delivery/engine';
import type { RetrySchedule } from '../../delivery/schedule';
import { callbackSender } from '../../delivery/requests/sender';
import { standardHeaders } from '../../delivery/requests/signatures';
import { signingSecrets } from '../../delivery/requests/signing-secret';
import { webhookDecryption } from '../../delivery/requests/webhook-ciphers';
import type { Database } from '../../server/database/database';
import type { DatabaseAddress } from '../../server/database/database-login';
import type { MpxnCipher } from '../occupancies/mpxn-cipher.repository';
import { type EventDelay, eventDelay } from './delay-metric.flow';
import { type DeliveryInput, deliveryInputs } from './delivery.queries';
import { MAX_LANE_WAIT_SECONDS } from '../../delivery/lane';
import type { RtiWebhookCiphers } from './rti-webhook.repository';
import { deliveryDecision, tariffEventBody } from './tariff-delivery';

/** Delays of the retries: 5 s, 1 min, 5 min, 30 min, 2 h, 6 h, 12 h, 24 h and 28 h, in total more than 72 hours (decisions C/D, D.3). */
export const TARIFF_SCHEDULE: RetrySchedule = {
  delays: [5, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400, 100_800],
};

/** Cessations are urgent, like revocations, but wait for a suspended RTI User; revocations do not wait for them. */
const CESSATION_WAITS: Assembled = { kind: 'suspended', laneSeconds: MAX_LANE_WAIT_SECONDS };

/** Dependencies of {@link deliverTariffEvents}. */
interface TariffDeliveryOptions {
  readonly address: DatabaseAddress;
  readonly database: Pick<Database, 'reads'>;
  readonly mpxns: MpxnCipher;
  readonly ciphers: RtiWebhookCiphers;
  readonly allowLoopback: boolean;
  readonly logger: Logger;
  readonly metrics?: Registry | undefined;
}

/** Starts the delivery of events to the webhooks of RTI Users. Every replica runs it. */
export async function deliverTariffEvents(options: TariffDeliveryOptions): Promise<Deliveries> {
  const { address, database, mpxns, ciphers, logger, metrics } = options;
  const { url, secret } = ciphers;
  const decryption = webhookDecryption({ decryptCallback: url.decrypt, decryptSecret: secret.decrypt });
  const sender = callbackSender({ allowLoopback: options.allowLoopback });
  const deliveries = await startDeliveries({
    address,
    source: tariffSource(deliveryInputs(database.reads, mpxns, decryption), eventDelay(metrics), logger),
    schedule: TARIFF_SCHEDULE,
    sender,
    logger,
    metrics,
    metricPrefix: 'tariff_',
  });
  return {
    async stop(forced) {
      await deliveries.stop(forced);
      sender.close();
    },
  };
}

/**
 * Assembles each attempt from current data (decisions C/D, D.3): no delivery stores an MPxN, an address or a body, and an event whose
 * consent was revoked is dropped.
 */
function tariffSource(
  inputOf: (delivery: PendingDelivery) => Promise<DeliveryInput | undefined>,
  observeDelay: EventDelay,
  logger: Logger,
): DeliverySource {
  return {
    async assemble(delivery) {
      const input = await inputOf(delivery);
      const decision = input === undefined ? 'drop' : deliveryDecision(input);
      if (input === undefined || decision === 'drop') return { kind: 'drop', ...(input && { now: input.now }) };
      if (decision === 'wait') return input.type === 'supplier.cessation' ? CESSATION_WAITS : { kind: 'suspended' };
      return dispatched(input, delivery, observeDelay);
    },
    undelivered(_, webhookId) {
      logger.warn({ webhook: webhookId }, 'delivery to the webhook of an RTI User abandoned');
      return Promise.resolve();
    },
  };
}

function dispatched(input: DeliveryInput, { redeliveredAt }: PendingDelivery, observeDelay: EventDelay): Assembled {
  const { eventId, now, recordedAt, occurredAt } = input;
  const signing = signingSecrets(input.secrets(), { now, recordedAt, isRedelivery: redeliveredAt !== null });
  if (signing === undefined) throw new Error('a webhook has no current signing secret');
  const attemptAt = new Date();
  const body = tariffEventBody({ ...input, mpxn: input.mpxn() }, attemptAt);
  const firstAttempt = () => observeDelay(now.getTime() - occurredAt.getTime(), input.wasHeld);
  return {
    kind: 'send',
    owner: input.userId,
    dispatch: { url: input.url(), headers: standardHeaders(eventId, body, signing.all, attemptAt), body },
    ...(input.isUnattempted ? { firstAttempt } : {}),
  };
}
