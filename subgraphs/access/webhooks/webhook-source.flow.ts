import { createHmac } from 'node:crypto';
import type { Assembled, DeliverySource, PendingDelivery } from '../../delivery/delivery';
import { standardHeaders } from '../../delivery/requests/signatures';
import { type SigningSecrets, signingSecrets } from '../../delivery/requests/signing-secret';
import type { Session } from '../../server/database/transaction';
import type { TenancyChangeFields } from '../operator/tenancy-change.repository';
import type { DeliveryInputQueries, EventInput, Receiver } from './delivery-input.queries';
import { type MpxnOfRecord, isIdentityUnavailable } from './mpxns.client';
import { type EventPayloads, type WebhookEvent, deliveryBody, isNoticeDue } from './webhook-event';

/** Dependencies of {@link webhookSource}. */
interface WebhookSourceDependencies {
  readonly inputs: Pick<DeliveryInputQueries, 'of' | 'accessKey' | 'recordKeys'>;
  readonly mpxnOf: MpxnOfRecord;
  readonly changes: { fieldsOf(id: string): Promise<TenancyChangeFields | undefined> };
  /** Requests a mail to the alert address of a subscription, in the transaction of the session. */
  readonly alert: (session: Session, webhookId: string) => Promise<void>;
}

/** Retries after 5 s, because `identity` is unavailable. */
const IDENTITY_UNAVAILABLE: Assembled = { kind: 'wait', seconds: 5 };
/** Waits for the reactivation of the Data User. */
const SUSPENDED: Assembled = { kind: 'suspended' };
const DROP: Assembled = { kind: 'drop' };

/** Assembles each attempt from current data (decisions A/B, 6): no delivery stores an MPxN, an access key or a body. */
export function webhookSource({ inputs, mpxnOf, changes, alert }: WebhookSourceDependencies): DeliverySource {
  const prepare = payloadBuilder(inputs, changes);
  return {
    undelivered: alert,
    async assemble(delivery) {
      const input = await inputs.of(delivery);
      if (input === undefined) return DROP;
      const { receiver, event } = input;
      if (receiver.isDeleted || receiver.status === 'terminated' || isObsolete(event, receiver)) return DROP;
      if (receiver.status === 'suspended') return SUSPENDED;
      const { identityRecordIds, withMpxn } = await prepare(event);
      const mpxn = await firstMpxn(identityRecordIds, mpxnOf);
      if (mpxn === UNAVAILABLE) return IDENTITY_UNAVAILABLE;
      return dispatched(withMpxn(mpxn), event, receiver, delivery);
    },
  };
}

/** Whether an event is a notice of an expiry that its record no longer has. It applies to suspended receivers and redeliveries, too. */
function isObsolete({ type, state, legalBasis, recordExpiry, expiry }: EventInput, { now }: Receiver): boolean {
  if (type !== 'consent.expiring') return false;
  return !isNoticeDue({ state: required(state), legalBasis, expiry: recordExpiry }, required(expiry), now);
}

const UNAVAILABLE = Symbol('identity is unavailable');

/**
 * Returns the MPxN of the first Identity Record that is not anonymised; all are at one meter point. Null if all are anonymised. Throws
 * if no MPxN was found and a record cannot be decrypted: the delivery then fails and is abandoned after its schedule.
 */
async function firstMpxn(ids: readonly string[], mpxnOf: MpxnOfRecord): Promise<string | null | typeof UNAVAILABLE> {
  const results = await Promise.allSettled(ids.map((id) => mpxnOf(id)));
  const mpxn = results
    .map((result) => (result.status === 'fulfilled' ? result.value : null))
    .find((value) => value !== null);
  if (mpxn !== undefined) return mpxn;
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  if (failures.length === 0) return null;
  if (failures.some(isIdentityUnavailable)) return UNAVAILABLE;
  throw failures[0];
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

/** An event that lacks the MPxN only, and the Identity Records to read it from. */
interface PreparedEvent {
  readonly identityRecordIds: readonly string[];
  readonly withMpxn: (mpxn: string | null) => WebhookEvent;
}

type PayloadBuilder = (event: EventInput) => Promise<PreparedEvent>;

function payloadBuilder(
  inputs: WebhookSourceDependencies['inputs'],
  changes: WebhookSourceDependencies['changes'],
): PayloadBuilder {
  const ofChange: PayloadBuilder = async (event) => {
    const [change, records] = await Promise.all([
      changes.fieldsOf(required(event.changeId)),
      inputs.recordKeys(required(event.recordIds)),
    ]);
    const { effectiveDate, sourceReference } = required(change);
    const affectedAks = records.map(({ ak }) => ak);
    return {
      identityRecordIds: records.flatMap(({ identityRecordId }) => identityRecordId ?? []),
      withMpxn: (mpxn) => ({
        ...event,
        type: 'tenancy.change',
        payload: { mpxn, effectiveDate, affectedAks, sourceReference },
      }),
    };
  };
  const ofRecord =
    (build: (event: EventInput, mpxn: string | null) => WebhookEvent): PayloadBuilder =>
    (event) =>
      Promise.resolve({
        identityRecordIds: event.identityRecordId === null ? [] : [event.identityRecordId],
        withMpxn: (mpxn: string | null) => build(event, mpxn),
      });
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
