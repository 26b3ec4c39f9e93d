import { type DeliveryKey, type InputRow, pendingInputs } from '../../delivery/delivery-inputs.queries';
import type { SigningSecret } from '../../delivery/requests/signing-secret';
import { SECRETS_OF_WEBHOOK, webhookDecryption } from '../../delivery/requests/webhook-ciphers';
import { batched } from '../../server/database/batched';
import type { Database } from '../../server/database/database';
import { decryptValue } from '../../server/encryption';
import type { AccountStatus } from '../accounts/account';
import type { AccessState, LegalBasis, RevocationReason } from '../records/access-record';
import type { DeliveredEventType } from './webhook';
import type { WebhookCipher } from './webhook-secrets.repository';

/** A subscription at the time of an attempt. */
export interface Receiver {
  readonly wid: string;
  /** Empty if the subscription is deleted. */
  readonly callbackUrl: string;
  readonly isDeleted: boolean;
  /** Status of its Data User. */
  readonly status: AccountStatus;
  readonly secrets: readonly SigningSecret[];
  /** The register's clock. */
  readonly now: Date;
}

/** An event, and the fields of its record that an attempt needs. */
export interface EventInput {
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
  /** Current state of the record; null for an event without one. */
  readonly state: AccessState | null;
  readonly legalBasis: LegalBasis | null;
  readonly recordExpiry: Date | null;
}

/** The access key of a record, and its Identity Record. */
interface RecordKey {
  readonly ak: string;
  readonly identityRecordId: string | null;
}

interface WebhookInputRow extends InputRow, EventInput, Pick<Receiver, 'wid' | 'isDeleted' | 'status' | 'now'> {
  readonly webhookId: string;
  readonly callback: Buffer;
  readonly secrets: string | null;
}

/**
 * Reads each subscription once: many deliveries of a batch belong to few. With `offset 0`, PostgreSQL looks each delivery and event up by its key,
 * even if it plans the statement while the tables are empty.
 */
const INPUTS = {
  name: 'webhook_delivery_inputs',
  text: `with receiver as materialized (
      select webhook.id, wid, callback_sealed, deleted_at is not null as deleted, status, ${SECRETS_OF_WEBHOOK} as secrets
      from webhook join account using (duid) where webhook.id = any($2::uuid[]))
    select requested.n::int, event.id, event.type, event.duid, occurred_at as "occurredAt", recorded_at as "recordedAt",
      event.record_id as "recordId", key_sealed as "keySealed", identity_record_id as "identityRecordId", revoked_at as "revokedAt",
      reason, event.expiry, days_remaining as "daysRemaining", change_id as "changeId",
      receiver.id as "webhookId", wid, callback_sealed as callback, deleted as "isDeleted", status,
      register_now() as now, delivery.state = 'pending' as "isPending",
      record.state, record.legal_basis as "legalBasis", record.expiry as "recordExpiry", secrets
    from unnest($1::text[], $2::uuid[]) with ordinality as requested (event_id, endpoint_id, n)
      join receiver on receiver.id = requested.endpoint_id
      cross join lateral (
        select state from delivery where endpoint_id = requested.endpoint_id and event_id = requested.event_id offset 0) delivery
      cross join lateral (select * from event where event.id = requested.event_id offset 0) event
      left join access_record record on record.id = event.record_id
      left join access_record_transition transition on transition.record_id = event.record_id and number = event.transition`,
};

/** With `offset 0`, PostgreSQL looks each record up by its key, however many an event affects. */
const RECORD_KEYS = {
  name: 'webhook_record_keys',
  text: `select record.* from event cross join lateral unnest(record_ids) with ordinality as affected (id, n)
      cross join lateral (
        select id, key_sealed as encrypted, identity_record_id as "identityRecordId"
        from access_record where id = affected.id offset 0) record
    where event.id = $1 order by n`,
};

/** Events per read of record keys, and concurrent reads. An event may affect many records. */
const RECORD_KEY_READS = { maxSize: 1, concurrency: 2 };

interface EncryptedRecordKey extends Omit<RecordKey, 'ak'> {
  readonly id: string;
  readonly encrypted: Buffer;
}

/** The event and the subscription of a delivery. */
interface DeliveryInput {
  readonly event: EventInput;
  readonly receiver: Receiver;
}

/** Reads the data that assembles deliveries; batches the reads of deliveries that are assembled concurrently. */
export class DeliveryInputQueries {
  /** Returns undefined if the delivery does not exist or is no longer pending. A row that cannot be decrypted fails its own delivery only. */
  readonly of: (delivery: DeliveryKey) => Promise<DeliveryInput | undefined>;
  /** Record keys of events that are to be read. */
  private readonly unread = new Map<string, Promise<readonly RecordKey[]>>();
  private readonly readRecordKeys: (eventId: string) => Promise<readonly RecordKey[]>;

  constructor(
    { pool, reads }: Pick<Database, 'pool' | 'reads'>,
    cipher: WebhookCipher,
    private readonly encryptionKey: Buffer,
  ) {
    const decryption = webhookDecryption(cipher);
    const rowOf = pendingInputs<WebhookInputRow>(reads, INPUTS);
    this.of = async (delivery) => {
      const row = await rowOf(delivery);
      if (row === undefined) return undefined;
      const { webhookId, wid, isDeleted, status, now } = row;
      const callbackUrl = isDeleted ? '' : decryption.url(webhookId, row.callback);
      const secrets = decryption.secrets(webhookId, row.secrets);
      return { event: row, receiver: { wid, callbackUrl, isDeleted, status, secrets, now } };
    };
    this.readRecordKeys = batched(async (eventIds) => {
      eventIds.forEach((id) => this.unread.delete(id));
      const { rows } = await pool.query<EncryptedRecordKey>({ ...RECORD_KEYS, values: [...eventIds] });
      return [rows.map(({ id, encrypted, ...row }) => ({ ...row, ak: this.decryptKey(encrypted, id) }))];
    }, RECORD_KEY_READS);
  }

  /** Decrypts the access key of the record of an event. */
  accessKey({ recordId, keySealed }: Pick<EventInput, 'recordId' | 'keySealed'>): string {
    if (recordId === null || keySealed === null) throw new Error('the event has no record');
    return this.decryptKey(keySealed, recordId);
  }

  /** Returns the access keys of the records that an event affects. Deliveries that call this before the read starts share it. */
  recordKeys(eventId: string): Promise<readonly RecordKey[]> {
    const keys = this.unread.get(eventId) ?? this.readRecordKeys(eventId);
    this.unread.set(eventId, keys);
    return keys;
  }

  private decryptKey(encrypted: Buffer, recordId: string): string {
    return decryptValue(this.encryptionKey, encrypted, recordId).toString('utf8');
  }
}
