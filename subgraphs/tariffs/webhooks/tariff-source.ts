import type { Logger } from 'pino';
import type { Assembled, DeliverySource, PendingDelivery } from '../../delivery/delivery';
import { standardHeaders } from '../../delivery/signatures';
import { signingSecrets } from '../../delivery/signing-secret';
import type { KnownDelivery } from '../database/delivery-facts';
import { deliveryStanding } from '../domain/delivery-standing';
import type { EventDelay } from './delay-metric';
import { tariffEventBody } from './tariff-event-body';

/** What the deliveries of RTI Users' webhooks are made of. */
export interface TariffSourceParts {
  readonly facts: (delivery: PendingDelivery) => Promise<KnownDelivery | undefined>;
  /** Told as a delivery is attempted for the first time. */
  readonly attempted: EventDelay;
  readonly logger: Logger;
}

/**
 * The deliveries of RTI Users' webhooks, assembled anew for each attempt: nothing that is stored for it holds an MPxN, an address or a
 * finished body, and what was revoked meanwhile is not told (3-decisions-c-d.md, D.3).
 */
export function tariffSource({ facts, attempted, logger }: TariffSourceParts): DeliverySource {
  return {
    async assemble(delivery) {
      const known = await facts(delivery);
      const standing = known === undefined ? 'drop' : deliveryStanding(known);
      if (known === undefined || standing === 'drop') return { kind: 'drop' };
      if (standing === 'wait') return { kind: 'suspended' };
      return dispatched(known, delivery, attempted);
    },
    undelivered(_, webhookId) {
      logger.warn({ webhook: webhookId }, 'a delivery to the webhook of an RTI User was given up');
      return Promise.resolve();
    },
  };
}

function dispatched(known: KnownDelivery, { redeliveredAt }: PendingDelivery, attempted: EventDelay): Assembled {
  const { eventId, now, recordedAt, occurredAt } = known;
  const signing = signingSecrets(known.secrets(), { now, recordedAt, isRedelivery: redeliveredAt !== null });
  if (signing === undefined) throw new Error('a webhook has no current signing secret');
  const attemptAt = new Date();
  const body = tariffEventBody({ ...known, mpxn: known.mpxn() }, attemptAt);
  return {
    kind: 'send',
    owner: known.userId,
    dispatch: { url: known.url(), headers: standardHeaders(eventId, body, signing.all, attemptAt), body },
    ...(known.isUnattempted
      ? { firstAttempt: () => attempted(now.getTime() - occurredAt.getTime(), known.wasHeld) }
      : {}),
  };
}
