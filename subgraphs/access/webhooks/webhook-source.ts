import type { Assembled, DeliverySource, PendingDelivery } from '../../delivery/delivery';
import type { Session } from '../../server/transaction';
import type { TenancyChangeFacts } from '../database/tenancy-change.repository';
import type { EventFacts, Receiver, WebhookFacts } from '../database/webhook-facts';
import { isNoticeDue } from '../domain/expiring-notice';
import { signingSecrets } from '../../delivery/signing-secret';
import { type EventPayloads, type ToldEvent, deliveryBody } from './bodies';
import { type MpxnOfRecord, isIdentityAway } from './mpxns';
import { signedHeaders } from './signatures';

/** What the deliveries of webhooks are made of. */
export interface WebhookSourceParts {
  readonly facts: Pick<WebhookFacts, 'of' | 'accessKey' | 'recordKeys'>;
  readonly mpxnOf: MpxnOfRecord;
  readonly changes: { facts(id: string): Promise<TenancyChangeFacts | undefined> };
  /** Asks for a mail to those who look after a subscription, in the transaction of the session. */
  readonly alert: (session: Session, webhookId: string) => Promise<void>;
}

/** Seconds after which it is tried whether `identity` is back. */
const IDENTITY_AWAY: Assembled = { kind: 'wait', seconds: 5 };
/** Until a reactivation resumes what waits. */
const SUSPENDED: Assembled = { kind: 'suspended' };
const DROP: Assembled = { kind: 'drop' };

/**
 * The deliveries of webhooks, assembled anew for each attempt (2-decisions-a-b.md, section 6): nothing that is stored for it holds an
 * MPxN, an access key or a finished body.
 */
export function webhookSource({ facts, mpxnOf, changes, alert }: WebhookSourceParts): DeliverySource {
  const tell = teller(facts, changes);
  return {
    undelivered: alert,
    async assemble(delivery) {
      const known = await facts.of(delivery);
      if (known === undefined) return DROP;
      const { receiver, event } = known;
      if (receiver.isDeleted || receiver.status === 'terminated' || isObsolete(event, receiver)) return DROP;
      if (receiver.status === 'suspended') return SUSPENDED;
      const { identityRecordIds, told } = await tell(event);
      const mpxn = await firstMpxn(identityRecordIds, mpxnOf);
      return mpxn === AWAY ? IDENTITY_AWAY : dispatched(told(mpxn), event, receiver, delivery);
    },
  };
}

/** A notice of an expiry that its record has no more: also while the Data User is suspended, and when it is sent again. */
function isObsolete({ type, state, legalBasis, recordExpiry, expiry }: EventFacts, { now }: Receiver): boolean {
  if (type !== 'consent.expiring') return false;
  return !isNoticeDue({ state: required(state), legalBasis, expiry: recordExpiry }, required(expiry), now);
}

const AWAY = Symbol('identity is away');

/**
 * The MPxN of records at one meter point: that of the first that is not anonymised. Fails for a record that cannot be opened, when no
 * other of them tells it: the delivery fails then, and is given up after its schedule.
 */
async function firstMpxn(ids: readonly string[], mpxnOf: MpxnOfRecord): Promise<string | null | typeof AWAY> {
  const answers = await Promise.allSettled(ids.map((id) => mpxnOf(id)));
  const mpxn = answers
    .map((answer) => (answer.status === 'fulfilled' ? answer.value : null))
    .find((one) => one !== null);
  if (mpxn !== undefined) return mpxn;
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  if (failures.length === 0) return null;
  if (failures.some(isIdentityAway)) return AWAY;
  throw failures[0];
}

function dispatched(
  told: ToldEvent,
  { recordedAt, duid }: EventFacts,
  { wid, callbackUrl, secrets, now }: Receiver,
  { sequence, redeliveredAt }: PendingDelivery,
): Assembled {
  const signing = signingSecrets(secrets, { now, recordedAt, isRedelivery: redeliveredAt !== null });
  if (signing === undefined) throw new Error('a subscription has no current signing secret');
  const body = deliveryBody(told, wid, sequence);
  return {
    kind: 'send',
    owner: duid,
    dispatch: { url: callbackUrl, headers: signedHeaders(told.id, body, signing, new Date()), body },
  };
}

/** What an event tells once the MPxN is known, and the Identity Records that know it. */
interface Telling {
  readonly identityRecordIds: readonly string[];
  readonly told: (mpxn: string | null) => ToldEvent;
}

type Teller = (event: EventFacts) => Promise<Telling>;

function teller(facts: WebhookSourceParts['facts'], changes: WebhookSourceParts['changes']): Teller {
  const ofChange: Teller = async (event) => {
    const [change, records] = await Promise.all([
      changes.facts(required(event.changeId)),
      facts.recordKeys(required(event.recordIds)),
    ]);
    const { effectiveDate, sourceReference } = required(change);
    const affectedAks = records.map(({ ak }) => ak);
    return {
      identityRecordIds: records.flatMap(({ identityRecordId }) => identityRecordId ?? []),
      told: (mpxn) => ({
        ...event,
        type: 'tenancy.change',
        payload: { mpxn, effectiveDate, affectedAks, sourceReference },
      }),
    };
  };
  const ofRecord =
    (told: (event: EventFacts, mpxn: string | null) => ToldEvent): Teller =>
    (event) =>
      Promise.resolve({
        identityRecordIds: event.identityRecordId === null ? [] : [event.identityRecordId],
        told: (mpxn: string | null) => told(event, mpxn),
      });
  const tellers: Readonly<Record<keyof EventPayloads, Teller>> = {
    'tenancy.change': ofChange,
    'consent.expiring': ofRecord((event, mpxn) => {
      const { duid, expiry, daysRemaining } = event;
      const payload = {
        ak: facts.accessKey(event),
        mpxn,
        duid,
        expiry: required(expiry),
        daysRemaining: required(daysRemaining),
      };
      return { ...event, type: 'consent.expiring', payload };
    }),
    'consent.withdrawal': ofRecord((event, mpxn) => {
      const { duid, revokedAt, reason } = event;
      const payload = { ak: facts.accessKey(event), mpxn, duid, revokedAt: required(revokedAt), reason };
      return { ...event, type: 'consent.withdrawal', payload };
    }),
    'webhook.test': ofRecord((event) => ({ ...event, type: 'webhook.test', payload: {} })),
  };
  return (event) => tellers[event.type](event);
}

function required<Value>(value: Value | null | undefined): Value {
  if (value == null) throw new Error('an event lacks what its type always has');
  return value;
}
