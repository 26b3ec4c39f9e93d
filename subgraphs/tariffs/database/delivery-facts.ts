import { grouped } from '../../delivery/grouped';
import type { PendingDelivery } from '../../delivery/delivery';
import type { SigningSecret } from '../../delivery/signing-secret';
import { SECRETS_OF_WEBHOOK, type WebhookOpening } from '../../delivery/webhook-secrets';
import type { Database } from '../../server/database';
import type { TariffEventType } from '../domain/effects';
import type { RegisterEntryStatus } from '../domain/register-entry-status';
import type { MpxnVault } from './mpxn-vault';
import { IS_UNATTEMPTED } from './unattempted-deliveries';

/** What an attempt needs to know, at its instant. */
export interface KnownDelivery {
  readonly eventId: string;
  readonly type: TariffEventType;
  readonly occurredAt: Date;
  readonly recordedAt: Date;
  readonly mpid: string;
  readonly tariffId: string | null;
  readonly webhookId: string;
  readonly userId: string;
  /** Whether the webhook was removed. */
  readonly isRemoved: boolean;
  /** Of the RTI User. */
  readonly status: RegisterEntryStatus;
  readonly supplierStatus: RegisterEntryStatus;
  readonly isConsented: boolean;
  /** No attempt was made yet, and nobody asked for it once more. */
  readonly isUnattempted: boolean;
  /** It was put off without an attempt since it was planned, or since the last one. */
  readonly wasHeld: boolean;
  /** The register's clock. */
  readonly now: Date;
  /** Opened when it is asked for: what is not sent is not opened. */
  mpxn(): string | null;
  url(): string;
  secrets(): SigningSecret[];
}

interface FactsRow extends Omit<KnownDelivery, 'mpxn' | 'url' | 'secrets'> {
  readonly n: number;
  readonly isPending: boolean;
  readonly mpxnHash: Buffer | null;
  readonly mpxnSealed: Buffer | null;
  readonly callback: Buffer;
  readonly secretsText: string | null;
}

const FACTS = {
  name: 'tariff_delivery_facts',
  text: `select asked.n::int, event.id as "eventId", type, occurred_at as "occurredAt", recorded_at as "recordedAt", event.mpid,
      tariff_id as "tariffId", webhook.id as "webhookId", webhook.user_id as "userId", deleted_at is not null as "isRemoved",
      rti_user.status, supplier.status as "supplierStatus", delivery.held > 0 as "wasHeld", ${IS_UNATTEMPTED} as "isUnattempted",
      exists (
        select from consent_meter_point point join tariff_consent consent on consent.id = point.consent_id
        where point.mpxn_hash = event.mpxn_hash and consent.mpid = event.mpid and consent.user_id = webhook.user_id
          and revoked_at is null and consent_covers(point.mpxn_hash, point.covered_at)) as "isConsented",
      register_now() as now, delivery.state = 'pending' as "isPending", event.mpxn_hash as "mpxnHash", mpxn_sealed as "mpxnSealed",
      callback_sealed as callback, ${SECRETS_OF_WEBHOOK} as "secretsText"
    from unnest($1::text[], $2::uuid[]) with ordinality as asked (event_id, endpoint_id, n)
      join delivery on delivery.endpoint_id = asked.endpoint_id and delivery.event_id = asked.event_id
      join event on event.id = asked.event_id
      join webhook on webhook.id = asked.endpoint_id
      join rti_user using (user_id)
      join supplier on supplier.mpid = event.mpid
      left join meter_point on meter_point.mpxn_hash = event.mpxn_hash`,
};

/** Deliveries whose facts are read together, and how many such reads are under way at once. */
const GROUPS = { most: 100, atOnce: 1 };

type Which = Pick<PendingDelivery, 'endpointId' | 'eventId'>;

/** What deliveries are assembled from; undefined for one that is not pending any more. Those assembled at once are read together. */
export function deliveryFacts(
  reads: Pick<Database['reads'], 'rows'>,
  mpxns: Pick<MpxnVault, 'open'>,
  opening: WebhookOpening,
): (delivery: Which) => Promise<KnownDelivery | undefined> {
  const rowOf = grouped(async (asked: readonly Which[]) => {
    const ids = [asked.map(({ eventId }) => eventId), asked.map(({ endpointId }) => endpointId)];
    const facts = asked.map((): FactsRow | undefined => undefined);
    for (const row of await reads.rows<FactsRow>(FACTS, ids)) facts[row.n - 1] = row;
    return facts;
  }, GROUPS);
  return async (delivery) => {
    const row = await rowOf(delivery);
    if (!row?.isPending) return undefined;
    const { mpxnHash: hash, mpxnSealed: sealed, callback, secretsText, ...known } = row;
    return {
      ...known,
      mpxn: () => (hash === null || sealed === null ? null : mpxns.open({ hash, sealed })),
      url: () => opening.url(row.webhookId, callback),
      secrets: () => opening.secrets(row.webhookId, secretsText),
    };
  };
}
