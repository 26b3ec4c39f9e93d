import { randomUUID } from 'node:crypto';
import type { Database } from '../../server/database';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import { type Forget, passedRows } from '../../server/retention';
import { seal, unseal } from '../../server/sealed';
import type { Session } from '../../server/transaction';
import type { Contact } from '../domain/contacts';
import type { SignInMeans } from '../domain/customer-session';
import type { TenancyChange } from '../domain/occupancy';
import type { IdentityKeys } from '../foundation';
import type { BlindIndexes } from './blind-index';
import { newSecret } from './secrets';
import { type TenancyChangeRow, changesOf, effectiveChanges } from './tenancy-changes';

/** What a session of somebody without an Identity Record says of its meter point. */
export interface RecordlessPlace {
  readonly mpxn: string;
  /** First day of the history that is shown. */
  readonly since: string;
}

/** A session to be started: of an Identity Record, or of a place alone. */
export interface NewCustomerSession {
  readonly of: { readonly recordId: string; readonly contact: Contact | null } | RecordlessPlace;
  readonly means: SignInMeans;
  readonly returnUrl: string | null;
}

/** A session that was started: the only time that its token is seen. */
export interface StartedCustomerSession {
  readonly token: string;
  readonly startedAt: Date;
  readonly expiresAt: Date;
}

/** A session that has neither ended nor expired. */
export interface StoredCustomerSession {
  readonly sessionId: string;
  readonly recordId: string | null;
  readonly meterPointId: string;
  /** Of a session without an Identity Record only. */
  readonly place: RecordlessPlace | null;
  readonly means: SignInMeans;
  readonly startedAt: Date;
  readonly expiresAt: Date;
  readonly returnUrl: string | null;
  readonly mpxnIndex: Buffer;
  /** The contact by which the customer signed in; null for a supplier sign-in. */
  readonly contact: Contact | null;
  /** Effective Changes of Tenancy at the meter point, the earliest first. */
  readonly changes: readonly TenancyChange[];
}

type SessionRow = Omit<StoredCustomerSession, 'place' | 'changes'> & {
  readonly sealed: Buffer | null;
  readonly changes: readonly TenancyChangeRow[];
};

const BY_TOKEN = {
  name: 'customer_session_by_token',
  text: `select id as "sessionId", record_id as "recordId", meter_point_id as "meterPointId", sealed, means,
      started_at as "startedAt", expires_at as "expiresAt", return_url as "returnUrl", mpxn_index as "mpxnIndex",
      encode(contact, 'hex') as contact, ${effectiveChanges('customer_session.mpxn_index')} as changes
    from customer_session where token_hash = $1 and ended_at is null and expires_at > register_now()`,
};

const STARTED = 'returning started_at as "startedAt", expires_at as "expiresAt"';

/** The record is locked against being anonymised meanwhile: its blind indexes must not outlive it here. */
const START_OF_RECORD = {
  name: 'start_customer_session_of_record',
  text: `insert into customer_session (id, token_hash, record_id, mpxn_index, meter_point_id, means, return_url, contact)
    select $1, $2, r.id, r.mpxn_index, r.meter_point_id, $3, $4, $6 from identity_record r
    where r.id = $5 and r.anonymised_at is null and r.closing_at is null for share ${STARTED}`,
};
const START_OF_PLACE = {
  name: 'start_customer_session_of_place',
  text: `insert into customer_session (id, token_hash, means, return_url, mpxn_index, meter_point_id, sealed)
    values ($1, $2, $3, $4, $5, $6, $7) ${STARTED}`,
};

const END = {
  name: 'end_customer_session',
  text: `update customer_session set ended_at = register_now()
    where token_hash = $1 and ended_at is null and expires_at > register_now()`,
};

const PASSED = 'customer_session where expires_at <= register_now()';

/** Customers' sessions: tokens by their keyed hash only, ended at once or after eight hours. */
export class CustomerSessionRepository {
  /** Deletes sessions whose eight hours are over. */
  readonly forgetExpired: Forget;
  private readonly hashOfToken: KeyedHash;

  constructor(
    private readonly database: Database,
    private readonly indexes: BlindIndexes,
    private readonly keys: IdentityKeys,
  ) {
    this.forgetExpired = passedRows(database.pool, 'customer_session', PASSED);
    this.hashOfToken = keyedHash(keys.hashKey, 'customer-session');
  }

  /** Starts a session in the transaction of what proved it; undefined when the Identity Record is gone meanwhile. */
  async start(session: Session, { of, means, returnUrl }: NewCustomerSession) {
    const token = `cst_${newSecret()}`;
    const id = randomUUID();
    const values = [id, this.hashOfToken(token), means, returnUrl];
    const { rows } = await session.query<Omit<StartedCustomerSession, 'token'>>(
      'recordId' in of
        ? { ...START_OF_RECORD, values: [...values, of.recordId, of.contact && Buffer.from(of.contact, 'hex')] }
        : { ...START_OF_PLACE, values: [...values, ...this.placeColumns(id, of)] },
    );
    return rows[0] && { token, ...rows[0] };
  }

  /** The session of a token, if it has neither ended nor expired. Never cached: an end is seen at once. */
  async byToken(token: string): Promise<StoredCustomerSession | undefined> {
    const [row] = await this.database.reads.rows<SessionRow>(BY_TOKEN, [this.hashOfToken(token)]);
    if (row === undefined) return undefined;
    const { sealed, changes, ...session } = row;
    return {
      ...session,
      changes: changesOf(changes),
      place: sealed === null ? null : this.opened(sealed, row.sessionId),
    };
  }

  /** Ends the session of a token. */
  async end(token: string): Promise<void> {
    await this.database.pool.query({ ...END, values: [this.hashOfToken(token)] });
  }

  private placeColumns(id: string, place: RecordlessPlace): unknown[] {
    const sealed = seal(this.keys.encryptionKey, JSON.stringify(place), boundTo(id));
    return [this.indexes.mpxn(place.mpxn), this.indexes.meterPointId(place.mpxn), sealed];
  }

  private opened(sealed: Buffer, id: string): RecordlessPlace {
    return JSON.parse(unseal(this.keys.encryptionKey, sealed, boundTo(id)).toString('utf8')) as RecordlessPlace;
  }
}

const boundTo = (id: string): string => `customer_session ${id}`;
