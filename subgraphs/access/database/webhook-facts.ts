import { grouped } from '../../delivery/grouped';
import type { SigningSecret } from '../../delivery/signing-secret';
import { SECRETS_OF_WEBHOOK, type WebhookOpening, webhookOpening } from '../../delivery/webhook-secrets';
import type { Database } from '../../server/database';
import { unseal } from '../../server/sealed';
import type { AccessState, LegalBasis, RevocationReason } from '../domain/access-record';
import type { AccountStatus } from '../domain/account';
import type { DeliveredEventType } from '../domain/webhook';
import type { WebhookSeals } from './webhook-seal';

/** A subscription as an attempt needs it, at the instant of the attempt. */
export interface Receiver {
  readonly wid: string;
  readonly callbackUrl: string;
  readonly isDeleted: boolean;
  /** Of its Data User. */
  readonly status: AccountStatus;
  readonly secrets: readonly SigningSecret[];
  /** The register's clock. */
  readonly now: Date;
}

/** An event and what of its record an attempt needs. */
export interface EventFacts {
  readonly id: string;
  readonly type: DeliveredEventType;
  readonly duid: string;
  readonly occurredAt: Date;
  readonly recordedAt: Date;
  readonly recordId: string | null;
  readonly keySealed: Buffer | null;
  readonly identityRecordId: string | null;
  readonly revokedAt: Date | null;
  readonly reason: RevocationReason | null;
  readonly expiry: Date | null;
  readonly daysRemaining: number | null;
  readonly changeId: string | null;
  readonly recordIds: readonly string[] | null;
  /** The event's record as it is now; null of an event without one. */
  readonly state: AccessState | null;
  readonly legalBasis: LegalBasis | null;
  readonly recordExpiry: Date | null;
}

/** The access key of a record, and the Identity Record that it is linked to. */
export interface RecordKey {
  readonly id: string;
  readonly ak: string;
  readonly identityRecordId: string | null;
}

interface FactsRow extends EventFacts, Pick<Receiver, 'wid' | 'isDeleted' | 'status' | 'now'> {
  readonly n: number;
  /** False when the delivery was superseded since it was looked up. */
  readonly isPending: boolean;
  readonly webhookId: string;
  readonly callback: Buffer;
  readonly secrets: string | null;
}

const FACTS = {
  name: 'webhook_delivery_facts',
  text: `select asked.n::int, event.id, event.type, event.duid, occurred_at as "occurredAt", recorded_at as "recordedAt",
      event.record_id as "recordId", key_sealed as "keySealed", identity_record_id as "identityRecordId", revoked_at as "revokedAt",
      reason, event.expiry, days_remaining as "daysRemaining", change_id as "changeId", record_ids as "recordIds",
      webhook.id as "webhookId", wid, callback_sealed as callback, deleted_at is not null as "isDeleted", status,
      register_now() as now, delivery.state = 'pending' as "isPending",
      record.state, record.legal_basis as "legalBasis", record.expiry as "recordExpiry",
      ${SECRETS_OF_WEBHOOK} as secrets
    from unnest($1::text[], $2::uuid[]) with ordinality as asked (event_id, endpoint_id, n)
      join delivery on delivery.endpoint_id = asked.endpoint_id and delivery.event_id = asked.event_id
      join event on event.id = asked.event_id
      join webhook on webhook.id = asked.endpoint_id
      join account on account.duid = webhook.duid
      left join access_record record on record.id = event.record_id
      left join access_record_transition transition on transition.record_id = event.record_id and number = event.transition`,
};

const RECORD_KEY = {
  name: 'webhook_record_key',
  text: `select id, key_sealed as sealed, identity_record_id as "identityRecordId" from access_record where id = any($1::uuid[])`,
};

type SealedRecordKey = Omit<RecordKey, 'ak'> & { readonly sealed: Buffer };

/** Deliveries whose facts are read together, and how many such reads are under way at once. */
const GROUPS = { most: 100, atOnce: 1 };

/** Which delivery: of what to whom. */
interface Which {
  readonly endpointId: string;
  readonly eventId: string;
}

/** What a delivery is assembled from: its event and its subscription. */
export interface DeliveryFacts {
  readonly event: EventFacts;
  readonly receiver: Receiver;
}

/** What deliveries are assembled from. The facts of all deliveries that are assembled at once are read together. */
export class WebhookFacts {
  /** The facts of a delivery; undefined when it is not pending any more, or there is no such event or no such subscription. */
  readonly of: (delivery: Which) => Promise<DeliveryFacts | undefined>;
  private readonly recordRow: (id: string) => Promise<SealedRecordKey | undefined>;
  private readonly opening: WebhookOpening;

  constructor(
    private readonly reads: Database['reads'],
    seals: WebhookSeals,
    private readonly sealingKey: Buffer,
  ) {
    this.opening = webhookOpening(seals);
    const rowOf = grouped((asked: readonly Which[]) => this.read(asked), GROUPS);
    // What cannot be opened is the fault of its delivery alone.
    this.of = async (delivery) => {
      const row = await rowOf(delivery);
      return row?.isPending ? { event: row, receiver: this.receiverOf(row) } : undefined;
    };
    this.recordRow = reads.byKey(RECORD_KEY, (row: SealedRecordKey) => row.id, String);
  }

  /** The access key of the record of an event. */
  accessKey({ recordId, keySealed }: Pick<EventFacts, 'recordId' | 'keySealed'>): string {
    if (recordId === null || keySealed === null) throw new Error('an event of a record names none');
    return unseal(this.sealingKey, keySealed, recordId).toString('utf8');
  }

  /** Access keys of records, in the order asked for. */
  async recordKeys(ids: readonly string[]): Promise<RecordKey[]> {
    const rows = await Promise.all(ids.map((id) => this.recordRow(id)));
    return rows
      .filter((row) => row !== undefined)
      .map(({ id, sealed, identityRecordId }) => ({
        id,
        identityRecordId,
        ak: unseal(this.sealingKey, sealed, id).toString('utf8'),
      }));
  }

  private async read(asked: readonly Which[]): Promise<(FactsRow | undefined)[]> {
    const ids = [asked.map(({ eventId }) => eventId), asked.map(({ endpointId }) => endpointId)];
    const facts = asked.map((): FactsRow | undefined => undefined);
    for (const row of await this.reads.rows<FactsRow>(FACTS, ids)) facts[row.n - 1] = row;
    return facts;
  }

  private receiverOf({ webhookId, wid, callback, isDeleted, status, secrets, now }: FactsRow): Receiver {
    const callbackUrl = isDeleted ? '' : this.opening.url(webhookId, callback);
    return { wid, callbackUrl, isDeleted, status, secrets: this.opening.secrets(webhookId, secrets), now };
  }
}
