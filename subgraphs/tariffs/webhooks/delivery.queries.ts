import { type DeliveryKey, type InputRow, pendingInputs } from '../../delivery/delivery-inputs.queries';
import type { SigningSecret } from '../../delivery/requests/signing-secret';
import { SECRETS_OF_WEBHOOK, type WebhookDecryption } from '../../delivery/requests/webhook-ciphers';
import type { Database } from '../../server/database/database';
import type { MpxnCipher, StoredMpxn } from '../occupancies/mpxn-cipher.repository';
import { INSTANT_OF_EVENT, STORED_MPXN_COLUMNS, storedMpxn } from '../occupancies/tariff-occupancies.sql';
import type { DeliveryState, TariffEventContent } from './tariff-delivery';

/** Data of a delivery at the time of an attempt. */
export interface DeliveryInput extends DeliveryState, Omit<TariffEventContent, 'mpxn'> {
  readonly eventId: string;
  readonly recordedAt: Date;
  readonly userId: string;
  /** Whether there was no attempt yet, and no request to send the event again. */
  readonly isUnattempted: boolean;
  /** Whether it was deferred since it was planned: a party was suspended, or a dependency unavailable. */
  readonly wasHeld: boolean;
  /** The register's clock. */
  readonly now: Date;
  /** Decrypted on demand, so that only what is sent is decrypted. */
  mpxn(): string | null;
  url(): string;
  secrets(): readonly SigningSecret[];
}

interface TariffInputRow extends InputRow, Omit<DeliveryInput, 'isErased' | 'mpxn' | 'url' | 'secrets'>, StoredMpxn {
  readonly callback: Buffer;
  readonly secretsText: string | null;
}

/** SQL: a pending `delivery` without an attempt. `attempts` also lists attempts that the schedule, and thus `attempt`, does not count. */
const IS_UNATTEMPTED = `(delivery.attempt = 0 and delivery.redelivered_at is null and delivery.attempts = '[]')`;

/**
 * SQL: whether an `event` was recorded before a `transition`. Their transactions decide, whatever the clock was: an event of a transaction that
 * was in progress counts as before. Transitions of earlier releases have no transaction: their instants decide.
 */
const IS_BEFORE_TRANSITION = `coalesce((transition.era, next_tx) > (event.era, event.tx), at > event.recorded_at)`;

const INPUTS = {
  name: 'tariff_delivery_inputs',
  text: `select requested.n::int, event.id as "eventId", type, occurred_at as "occurredAt", recorded_at as "recordedAt", event.mpid,
      tariff_id as "tariffId", webhook.id as "webhookId", webhook.user_id as "userId", deleted_at is not null as "isRemoved",
      rti_user.status, supplier.status as "supplierStatus",
      (delivery.faults > 0 or coalesce(delivery.created_at <= endpoint.put_off_at, false)) as "wasHeld", ${IS_UNATTEMPTED} as "isUnattempted",
      exists (
        select from consent_meter_point point join tariff_consent consent on consent.id = point.consent_id
        where point.mpxn_hash = event.mpxn_hash and consent.mpid = event.mpid and consent.user_id = webhook.user_id
          and revoked_at is null and consent_receives(event, point)) as "isConsented",
      exists (
        select from entry_transition transition
        where transition.user_id = webhook.user_id and to_status = 'disabled' and ${IS_BEFORE_TRANSITION}) as "wasDisabled",
      register_now() as now, delivery.state = 'pending' as "isPending", event.mpxn_hash as "mpxnHash", ${STORED_MPXN_COLUMNS},
      callback_sealed as callback, ${SECRETS_OF_WEBHOOK} as "secretsText"
    from unnest($1::text[], $2::uuid[]) with ordinality as requested (event_id, endpoint_id, n)
      join delivery on delivery.endpoint_id = requested.endpoint_id and delivery.event_id = requested.event_id
      join delivery_endpoint endpoint on endpoint.id = requested.endpoint_id
      join event on event.id = requested.event_id
      join webhook on webhook.id = requested.endpoint_id
      join rti_user using (user_id)
      join supplier on supplier.mpid = event.mpid
      ${storedMpxn('event.mpxn_hash', INSTANT_OF_EVENT)}`,
};

/** Returns a batched read of delivery inputs; undefined for a delivery that is no longer pending. */
export function deliveryInputs(
  reads: Pick<Database['reads'], 'rows'>,
  mpxns: Pick<MpxnCipher, 'decrypt'>,
  decryption: WebhookDecryption,
): (delivery: DeliveryKey) => Promise<DeliveryInput | undefined> {
  const rowOf = pendingInputs<TariffInputRow>(reads, INPUTS);
  return async (delivery) => {
    const row = await rowOf(delivery);
    return (
      row && {
        ...row,
        isErased: row.mpxnHash !== null && row.wrappedKey === null && row.direct === null,
        mpxn: () => mpxns.decrypt(row),
        url: () => decryption.url(row.webhookId, row.callback),
        secrets: () => decryption.secrets(row.webhookId, row.secretsText),
      }
    );
  };
}

/** Excludes deliveries that wait for a party, as `deliveryDecision` does: cessations have the lane `cessation`, other urgent events are revocations. */
const UNATTEMPTED = `
  select coalesce(extract(epoch from register_now() - min(delivery.created_at)), 0)::float8 as seconds
  from delivery join webhook on webhook.id = delivery.endpoint_id join rti_user using (user_id) join supplier using (mpid)
  where state = 'pending' and deleted_at is null and ${IS_UNATTEMPTED}
    and (urgent and subject <> 'cessation' or rti_user.status = 'active' and (subject = 'cessation' or supplier.status = 'active'))`;

/** Returns the age in seconds of the oldest delivery that could be sent but has no attempt yet; 0 without one. */
export async function unattemptedSeconds({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(UNATTEMPTED);
  return rows[0]?.seconds ?? 0;
}
