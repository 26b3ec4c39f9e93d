import { type DeliveryKey, type InputRow, pendingInputs } from '../../delivery/delivery-inputs.queries';
import type { SigningSecret } from '../../delivery/requests/signing-secret';
import { SECRETS_OF_WEBHOOK, webhookDecryption } from '../../delivery/requests/webhook-ciphers';
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
  readonly recordIds: readonly string[] | null;
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
      reason, event.expiry, days_remaining as "daysRemaining", change_id as "changeId", record_ids as "recordIds",
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

const RECORD_KEY = {
  name: 'webhook_record_key',
  text: `select id, key_sealed as encrypted, identity_record_id as "identityRecordId" from access_record where id = any($1::uuid[])`,
};

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
  private readonly recordRow: (id: string) => Promise<EncryptedRecordKey | undefined>;

  constructor(
    reads: Database['reads'],
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
    this.recordRow = reads.byKey(RECORD_KEY, (row: EncryptedRecordKey) => row.id, String);
  }

  /** Decrypts the access key of the record of an event. */
  accessKey({ recordId, keySealed }: Pick<EventInput, 'recordId' | 'keySealed'>): string {
    if (recordId === null || keySealed === null) throw new Error('the event has no record');
    return this.decryptKey(keySealed, recordId);
  }

  /** Returns the access keys of existing records, in the order of the ids. */
  async recordKeys(ids: readonly string[]): Promise<RecordKey[]> {
    const rows = await Promise.all(ids.map((id) => this.recordRow(id)));
    return rows
      .filter((row) => row !== undefined)
      .map(({ id, encrypted, identityRecordId }) => ({ identityRecordId, ak: this.decryptKey(encrypted, id) }));
  }

  private decryptKey(encrypted: Buffer, recordId: string): string {
    return decryptValue(this.encryptionKey, encrypted, recordId).toString('utf8');
  }
}
