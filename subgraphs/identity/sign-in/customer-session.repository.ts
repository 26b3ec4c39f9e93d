import { randomUUID } from 'node:crypto';
import { hasStarted } from '../../server/database/register-clock';
import type { Database } from '../../server/database/database';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import { type Purge, expiredRows, rowsAhead } from '../../server/retention';
import { encryptValue, decryptValue } from '../../server/encryption';
import type { Session } from '../../server/database/transaction';
import type { SignInMethod } from './customer-session';
import type { ReturnAddress } from './return-addresses.flow';
import type { TenancyChange } from '../occupancy/occupancy';
import { LIVE } from '../occupancy/meter-point-records.sql';
import type { BlindIndexes } from '../records/blind-index';
import { type IdentityKeys, newSecret } from '../keys';
import { type TenancyChangeRow, changesOf, effectiveChanges, effectiveDays } from '../occupancy/tenancy-change.sql';
import type { Contact } from '../contacts/contact';

/** Meter point of a session without an Identity Record. */
export interface MeterPointWithoutRecord {
  readonly mpxn: string;
  /** First day of the visible history, `YYYY-MM-DD`. */
  readonly since: string;
}

/** A session to start: by an Identity Record, or by a meter point without one. */
interface NewCustomerSession {
  readonly of: { readonly recordId: string; readonly contact: Contact | null } | MeterPointWithoutRecord;
  readonly means: SignInMethod;
  /** The supplier that proved the customer; null for other sign-ins. */
  readonly mpid: string | null;
  readonly returnTo: ReturnAddress | null;
  /** The secret of its token; a new one if absent. */
  readonly secret?: string | undefined;
}

/** A started session. Its token is available only here. */
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
  /** Set only for a session without an Identity Record. */
  readonly place: MeterPointWithoutRecord | null;
  readonly means: SignInMethod;
  /** The supplier that proved the customer; null for other sign-ins, and in sessions of the previous release. */
  readonly mpid: string | null;
  readonly startedAt: Date;
  readonly expiresAt: Date;
  readonly returnUrl: string | null;
  /** The Data User for which the return URL is registered; null without one, and in sessions of the previous release. */
  readonly returnDuid: string | null;
  readonly mpxnIndex: Buffer;
  /** The contact by which the customer signed in; null for a supplier sign-in. */
  readonly contact: Contact | null;
  /** Effective Changes of Tenancy at the meter point, in ascending order. */
  readonly changes: readonly TenancyChange[];
  /** Days of the Changes of Tenancy that were effective when the session started; null in sessions of the previous release. */
  readonly changedOn: readonly string[] | null;
}

type SessionRow = Omit<StoredCustomerSession, 'place' | 'changes'> & {
  readonly sealed: Buffer | null;
  readonly changes: readonly TenancyChangeRow[];
};

const BY_TOKEN = {
  name: 'customer_session_by_token',
  text: `select id as "sessionId", record_id as "recordId", meter_point_id as "meterPointId", sealed, means, mpid,
      started_at as "startedAt", expires_at as "expiresAt", return_url as "returnUrl", return_duid as "returnDuid",
      mpxn_index as "mpxnIndex", encode(contact, 'hex') as contact, changed_on as "changedOn", ${effectiveChanges('customer_session.mpxn_index')} as changes
    from customer_session where token_hash = $1 and ended_at is null and expires_at > register_now() and ${hasStarted('started_at')}`,
};

const STARTED = 'returning started_at as "startedAt", expires_at as "expiresAt"';

/** Locks the record against anonymising, because its blind indexes must not outlive it in a session. */
const START_OF_RECORD = {
  name: 'start_customer_session_of_record',
  text: `insert into customer_session (id, token_hash, record_id, mpxn_index, meter_point_id, means, mpid, return_url, return_duid, contact, changed_on)
    select $1, $2, r.id, r.mpxn_index, r.meter_point_id, $3, $4, $5, $6, $8, ${effectiveDays('r.mpxn_index')} from identity_record r
    where r.id = $7 and ${LIVE} for share ${STARTED}`,
};
const START_WITHOUT_RECORD = {
  name: 'start_customer_session_without_record',
  text: `insert into customer_session (id, token_hash, means, mpid, return_url, return_duid, mpxn_index, meter_point_id, sealed, changed_on)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${effectiveDays('$7')}) ${STARTED}`,
};

const END = {
  name: 'end_customer_session',
  text: `update customer_session set ended_at = register_now()
    where token_hash = $1 and ended_at is null and expires_at > register_now()`,
};

const EXPIRED = { table: 'customer_session', column: 'expires_at', through: 'register_now()' };
/** With the lifetime that the table gives a session. */
const BOUNDED = { ...EXPIRED, lifetime: `interval '8 hours'` };

/** Sessions of customers, found by the keyed hash of their token. They end on request or after eight hours. */
export class CustomerSessionRepository {
  /** Deletes expired sessions, and those that were started while the clock was ahead. */
  readonly purgeExpired: readonly Purge[];
  private readonly hashOfToken: KeyedHash;

  constructor(
    private readonly database: Database,
    private readonly indexes: BlindIndexes,
    private readonly keys: IdentityKeys,
  ) {
    this.purgeExpired = [expiredRows(database.pool, EXPIRED), rowsAhead(database.pool, BOUNDED)];
    this.hashOfToken = keyedHash(keys.hashKey, 'customer-session');
  }

  /** Starts a session in the transaction of its proof; undefined if the Identity Record is closed or anonymised. */
  async start(session: Session, { of, means, mpid, returnTo, secret = newSecret() }: NewCustomerSession) {
    const token = tokenOf(secret);
    const id = randomUUID();
    const values = [id, this.hashOfToken(token), means, mpid, returnTo?.url ?? null, returnTo?.duid ?? null];
    const { rows } = await session.query<Omit<StartedCustomerSession, 'token'>>(
      'recordId' in of
        ? { ...START_OF_RECORD, values: [...values, of.recordId, of.contact && Buffer.from(of.contact, 'hex')] }
        : { ...START_WITHOUT_RECORD, values: [...values, ...this.columnsOf(id, of)] },
    );
    return rows[0] && { token, ...rows[0] };
  }

  /** Returns the session of a token; undefined if it has ended or expired. Nothing is cached, so an end applies to the next request. */
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

  private columnsOf(id: string, place: MeterPointWithoutRecord): unknown[] {
    const sealed = encryptValue(this.keys.encryptionKey, JSON.stringify(place), boundTo(id));
    return [this.indexes.mpxn(place.mpxn), this.indexes.meterPointId(place.mpxn), sealed];
  }

  private opened(sealed: Buffer, id: string): MeterPointWithoutRecord {
    return JSON.parse(
      decryptValue(this.keys.encryptionKey, sealed, boundTo(id)).toString('utf8'),
    ) as MeterPointWithoutRecord;
  }
}

const boundTo = (id: string): string => `customer_session ${id}`;

/** Returns the token of a session by its secret of 256 bits. */
export const tokenOf = (secret: string): string => `cst_${secret}`;
