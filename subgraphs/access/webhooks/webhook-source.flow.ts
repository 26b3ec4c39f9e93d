import { createHmac } from 'node:crypto';
import type { Assembled, DeliverySource, PendingDelivery } from '../../delivery/delivery';
import { standardHeaders } from '../../delivery/requests/signatures';
import { type SigningSecrets, signingSecrets } from '../../delivery/requests/signing-secret';
import type { Session } from '../../server/database/transaction';
import type { DeliveryInputQueries, EventInput, Receiver } from './delivery-input.queries';
import { type MpxnOfRecord, type SourceReferenceOfChange, isIdentityUnavailable } from './notified-data.client';
import { type EventPayloads, type WebhookEvent, deliveryBody, isNoticeDue } from './webhook-event';

/** Dependencies of {@link webhookSource}. */
interface WebhookSourceDependencies {
  readonly inputs: Pick<DeliveryInputQueries, 'of' | 'accessKey' | 'recordKeys'>;
  readonly mpxnOf: MpxnOfRecord;
  readonly sourceReferenceOf: SourceReferenceOfChange;
  readonly changes: { effectiveDateOf(id: string): Promise<string | undefined> };
  /** Requests a mail to the alert address of a subscription, in the transaction of the session. */
  readonly alert: (session: Session, webhookId: string) => Promise<void>;
}

/** Retries after 5 s, because `identity` is unavailable. */
const IDENTITY_UNAVAILABLE: Assembled = { kind: 'wait', seconds: 5 };
/** Waits for the reactivation of the Data User. */
const SUSPENDED: Assembled = { kind: 'suspended' };
const DROP: Assembled = { kind: 'drop' };

/** Assembles each attempt from current data (decisions A/B, 6): no delivery stores an MPxN, an access key or a body. */
export function webhookSource(dependencies: WebhookSourceDependencies): DeliverySource {
  const { inputs, alert } = dependencies;
  const complete = payloadBuilder(dependencies);
  return {
    undelivered: alert,
    async assemble(delivery) {
      const input = await inputs.of(delivery);
      if (input === undefined) return DROP;
      const { receiver, event } = input;
      if (receiver.isDeleted || receiver.status === 'terminated') return DROP;
      if (isObsolete(event, receiver)) return { kind: 'drop', now: receiver.now };
      if (receiver.status === 'suspended') return SUSPENDED;
      try {
        return dispatched(await complete(event), event, receiver, delivery);
      } catch (error) {
        if (isIdentityUnavailable(error)) return IDENTITY_UNAVAILABLE;
        throw error;
      }
    },
  };
}

/** Whether an event is a notice of an expiry that its record no longer has. It applies to suspended receivers and redeliveries, too. */
function isObsolete({ type, state, legalBasis, recordExpiry, expiry }: EventInput, { now }: Receiver): boolean {
  if (type !== 'consent.expiring') return false;
  return !isNoticeDue({ state: required(state), legalBasis, expiry: recordExpiry }, required(expiry), now);
}

/**
 * Returns the MPxN of the first Identity Record that is not anonymised; all are at one meter point. Null if all are anonymised. If no
 * MPxN was found, throws while `identity` is unavailable, and if a record cannot be decrypted: then the delivery fails and becomes
 * undelivered after its schedule.
 */
async function firstMpxn(ids: readonly string[], mpxnOf: MpxnOfRecord): Promise<string | null> {
  const results = await Promise.allSettled(ids.map((id) => mpxnOf(id)));
  const mpxn = results
    .map((result) => (result.status === 'fulfilled' ? result.value : null))
    .find((value) => value !== null);
  if (mpxn !== undefined) return mpxn;
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  if (failures.length === 0) return null;
  throw failures.find(isIdentityUnavailable) ?? failures[0];
}

function dispatched(
  event: WebhookEvent,
  { recordedAt, duid }: EventInput,
  { wid, callbackUrl, secrets, now }: Receiver,
  { sequence, redeliveredAt }: PendingDelivery,
): Assembled {
  const signing = signingSecrets(secrets, { now, recordedAt, isRedelivery: redeliveredAt !== null });
  if (signing === undefined) throw new Error('a subscription has no current signing secret');
  const body = deliveryBody(event, wid, sequence);
  return {
    kind: 'send',
    owner: duid,
    dispatch: { url: callbackUrl, headers: signedHeaders(event.id, body, signing, new Date()), body },
  };
}

/** Completes an event with the data that only `identity` stores. */
type PayloadBuilder = (event: EventInput) => Promise<WebhookEvent>;

function payloadBuilder({ inputs, mpxnOf, sourceReferenceOf, changes }: WebhookSourceDependencies): PayloadBuilder {
  const ofChange: PayloadBuilder = async (event) => {
    const changeId = required(event.changeId);
    const [effectiveDate, records] = await Promise.all([
      changes.effectiveDateOf(changeId),
      inputs.recordKeys(event.id),
    ]);
    const affectedAks = records.map(({ ak }) => ak);
    const ids = new Set(records.flatMap(({ identityRecordId }) => identityRecordId ?? []));
    const mpxn = await firstMpxn([...ids], mpxnOf);
    const sourceReference = mpxn === null ? null : await sourceReferenceOf(changeId);
    const payload = { mpxn, effectiveDate: required(effectiveDate), affectedAks, sourceReference };
    return { ...event, type: 'tenancy.change', payload };
  };
  const ofRecord =
    (build: (event: EventInput, mpxn: string | null) => WebhookEvent): PayloadBuilder =>
    async (event) =>
      build(event, await firstMpxn(event.identityRecordId === null ? [] : [event.identityRecordId], mpxnOf));
  const builders: Readonly<Record<keyof EventPayloads, PayloadBuilder>> = {
    'tenancy.change': ofChange,
    'consent.expiring': ofRecord((event, mpxn) => {
      const { duid } = event;
      const [expiry, daysRemaining] = [required(event.expiry), required(event.daysRemaining)];
      const payload = { ak: inputs.accessKey(event), mpxn, duid, expiry, daysRemaining };
      return { ...event, type: 'consent.expiring', payload };
    }),
    'consent.withdrawal': ofRecord((event, mpxn) => {
      const { duid, revokedAt, reason } = event;
      const payload = { ak: inputs.accessKey(event), mpxn, duid, revokedAt: required(revokedAt), reason };
      return { ...event, type: 'consent.withdrawal', payload };
    }),
    'webhook.test': ofRecord((event) => ({ ...event, type: 'webhook.test', payload: {} })),
  };
  return (event) => builders[event.type](event);
}

function required<Value>(value: Value | null | undefined): Value {
  if (value == null) throw new Error('an event lacks a field that its type requires');
  return value;
}

/**
 * Returns the headers of an attempt (decisions A/B, 6): `X-DAR-Signature`, whose key is the text of the secret, and the three headers of
 * Standard Webhooks, whose key is the secret decoded.
 */
export function signedHeaders(eventId: string, body: string, { single, all }: SigningSecrets, at: Date) {
  return {
    ...standardHeaders(eventId, body, all, at),
    'x-dar-signature': `sha256=${createHmac('sha256', single).update(body).digest('hex')}`,
  };
}
