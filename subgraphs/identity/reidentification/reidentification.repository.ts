import { randomUUID } from 'node:crypto';
import { newIdentifier } from '../../../schema/identifiers';
import { hasStarted } from '../../server/database/register-clock';
import type { Database } from '../../server/database/database';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import { type Purge, expiredRows, rowsAhead } from '../../server/retention';
import { encryptValue } from '../../server/encryption';
import type { NamedStatement } from '../../server/database/short-reads';
import type { Session } from '../../server/database/transaction';
import {
  PARTICIPATION_HOURS,
  type Reidentification,
  type ReidentificationMethod,
  type ReidentificationScope,
  TOKEN_SECONDS,
  reidentificationState,
  returnAddress,
  secondsAfter,
} from './reidentification';
import type { Contact } from '../contacts/contact';
import { contactsOf, holds, isContested, isRejected, ownRecordsOf, recordsOf } from '../contacts/contacts';
import { type OccupantRecord, isReadable, occupancyPeriod } from '../occupancy/occupancy';
import type { BlindIndexes } from '../records/blind-index';
import type { OccupancyRepository } from '../occupancy/occupancy.repository';
import type { IdentityKeys } from '../keys';

/** Initiator, record and method of a re-identification. */
export interface ReidentificationStart {
  readonly duid: string;
  readonly accountId: string;
  /** Series of the bearer token that initiated it; empty before the first revocation of the account's tokens. */
  readonly tokenSeries: string;
  readonly scope: ReidentificationScope;
  readonly method: ReidentificationMethod;
  readonly recordId: string;
  /** URL registered for the initiator; null if the customer ends on the register's own page. */
  readonly returnUrl: string | null;
  /** Value of the query parameter `state` of the return URL. */
  readonly state: string | null;
}

/** An issued re-identification. Its token-ref exists before it is stored, so that the response is stored in the same transaction. */
export interface IssuedReidentification extends ReidentificationStart {
  readonly id: string;
  readonly tokenRef: string;
  readonly issuedAt: Date;
  /** Expiry of the token, one hour after issuance. */
  readonly expiresAt: Date;
}

/** Issues a token-ref without storing it. */
export function issueReidentification(start: ReidentificationStart, issuedAt: Date): IssuedReidentification {
  return {
    ...start,
    id: randomUUID(),
    tokenRef: newIdentifier('mlr'),
    issuedAt,
    expiresAt: secondsAfter(issuedAt, TOKEN_SECONDS),
  };
}

/** Associated data of an encrypted return address. */
export function boundReturnAddress(reidentificationId: string): string {
  return `return address ${reidentificationId}`;
}

type ReidentificationRow = Omit<Reidentification, 'state'> & {
  readonly now: Date;
  /** Whether it was issued while the clock was ahead. */
  readonly isAhead: boolean;
  /** The contacts that its customer proved. */
  readonly provenBy: readonly Contact[];
};

/** SQL: the contacts that the customer of a re-identification `i` proved in it. */
const PROVEN_BY = `array(
  select encode(c.proven_by, 'hex') from ceremony c where c.reidentification_id = i.id and c.proven_by is not null)`;

const BY_TOKEN: NamedStatement = {
  name: 'reidentification_by_token',
  text: `select i.id, i.duid, i.scope, i.method, i.record_id as "recordId", r.meter_point_id as "meterPointId",
      r.anonymised_at is not null as anonymised, r.closing_at is not null as closing, r.closed_at is not null as "isClosed", i.open_until as "openUntil",
      i.expires_at as "expiresAt", i.confirmed_at as "confirmedAt", register_now() as now, not ${hasStarted('i.issued_at')} as "isAhead",
      ${PROVEN_BY} as "provenBy"
    from reidentification i join identity_record r on r.id = i.record_id where i.token_hash = $1`,
};
const INSERT = `
  insert into reidentification
    (id, token_hash, duid, account_id, scope, method, record_id, return_address, issued_at, open_until, expires_at, token_series)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;
const KEEP_OPEN = 'update reidentification set open_until = greatest(open_until, $2) where id = $1';
const CONFIRM = `
  update reidentification set confirmed_at = register_now()
  where id = $1 and confirmed_at is null and expires_at > register_now() and ${hasStarted('issued_at')}`;

/**
 * Records whose customer took part in a re-identification that a Data User initiated, by confirming a link or asserting a passkey. A
 * registration for which the Data User vouches proves no participation.
 */
const TOOK_PART: NamedStatement = {
  name: 'customers_who_took_part',
  text: `select i.record_id as "recordId", ${PROVEN_BY} as "provenBy" from reidentification i join identity_record r on r.id = i.record_id
    where r.mpxn_index = $1 and i.duid = $2 and i.confirmed_at > register_now() - interval '${PARTICIPATION_HOURS} hours'
      and ${hasStarted('i.confirmed_at')}
      and not exists (select from ceremony c where c.reidentification_id = i.id and c.vouched)`,
};

const EXPIRED = {
  table: 'reidentification',
  column: 'expires_at',
  through: `register_now() - interval '30 days'`,
};
const BOUNDED = { ...EXPIRED, lifetime: `interval '${TOKEN_SECONDS} s'` };

/** Re-identifications, found by the keyed hash of their token-ref. */
export class ReidentificationRepository {
  /** Deletes re-identifications 30 days after their expiry, and those that were issued while the clock was ahead, with their ceremonies. */
  readonly purges: readonly Purge[];
  private readonly hash: KeyedHash;

  constructor(
    private readonly database: Database,
    private readonly occupants: OccupancyRepository,
    private readonly indexes: Pick<BlindIndexes, 'mpxn'>,
    private readonly keys: IdentityKeys,
  ) {
    this.purges = [expiredRows(database.pool, EXPIRED), rowsAhead(database.pool, BOUNDED)];
    this.hash = keyedHash(keys.hashKey, 'token-ref');
  }

  /**
   * Returns the re-identification of a token-ref; undefined if there is none. It is expired, too, if a Change of Tenancy ended the
   * occupancy of its record, if every contact of its customer or one that the customer proved in it was rejected or removed, or, for one by
   * meter point, while contacts there are contested, and if its record cannot be decrypted.
   */
  async byToken(tokenRef: string): Promise<Reidentification | undefined> {
    const [row] = await this.database.reads.rows<ReidentificationRow>(BY_TOKEN, [this.hash(tokenRef)]);
    if (!row) return undefined;
    const { now, isAhead, provenBy, ...reidentification } = row;
    const found = await this.occupants.byId(reidentification.recordId);
    const occupant = found && isReadable(found) ? found : undefined;
    const customer = occupant && (await this.customerOf(occupant, row));
    const isUnreadable = found !== undefined && occupant === undefined;
    const isOver =
      isAhead ||
      isUnreadable ||
      customer?.isOver ||
      (occupant && provenBy.some((contact) => !holds(occupant, contact)));
    return {
      ...reidentification,
      occupant: customer?.occupant,
      state: isOver ? 'expired' : reidentificationState(reidentification, now),
    };
  }

  /**
   * Returns the customer of a record, with the scope of a session in the register's own portal: all records of the customer's contacts. A
   * record that is not verified, and one for its own Data User, counts alone.
   */
  private async customerOf(occupant: OccupantRecord, { scope, provenBy }: ReidentificationRow) {
    const { id: recordId, moveInDate: movedIn, tenancy, contacts, changes } = occupant;
    const atMeterPoint =
      scope === 'cross' ? await this.occupants.verifiedWithClosed(this.indexes.mpxn(occupant.mpxn)) : [];
    const { records, groups } = contactsOf(atMeterPoint, tenancy);
    const group = groups.find((each) => contacts.some(({ contact }) => each.has(contact)));
    const candidates = records.some(({ id }) => id === recordId) ? recordsOf(atMeterPoint, tenancy) : [occupant];
    return {
      isOver: occupant.occupancy === 'ended' || isRejected(occupant) || isContested(groups),
      occupant: {
        ...ownRecordsOf({ recordId, movedIn, contacts: provenBy, group }, candidates),
        beganAt: occupancyPeriod(movedIn, changes).beganAt,
      },
    };
  }

  /** Stores a re-identification that the customer can confirm until `openUntil`. */
  async insert(session: Session, issued: IssuedReidentification, openUntil: Date): Promise<void> {
    const { id, tokenRef, duid, accountId, scope, method, recordId, returnUrl, state, issuedAt, expiresAt } = issued;
    const address =
      returnUrl === null
        ? null
        : encryptValue(
            this.keys.encryptionKey,
            returnAddress(returnUrl, method, tokenRef, state),
            boundReturnAddress(id),
          );
    const values = [id, this.hash(tokenRef), duid, accountId, scope, method, recordId, address];
    await session.query(INSERT, [...values, issuedAt, openUntil, expiresAt, issued.tokenSeries]);
  }

  /** Extends the time in which the customer can confirm to at least `until`. */
  async keepOpen(session: Session, id: string, until: Date): Promise<void> {
    await session.query(KEEP_OPEN, [id, until]);
  }

  /** Confirms a re-identification; returns false if it was confirmed before or has expired. */
  async confirm(session: Session, id: string): Promise<boolean> {
    return (await session.query(CONFIRM, [id])).rowCount === 1;
  }

  /**
   * Returns whether the customer of the current occupancy of a meter point has taken part in a re-identification that the Data User
   * initiated, within the last 24 hours (decisions A/B, 8). Customers are the persons of verified records (decisions A/B, 9). Neither a record
   * with a rejected contact proves participation, nor a contact that was removed since.
   */
  async hasTakenPart(mpxn: string, duid: string): Promise<boolean> {
    const rows = await this.database.reads.rows<Pick<ReidentificationRow, 'recordId' | 'provenBy'>>(TOOK_PART, [
      this.indexes.mpxn(mpxn),
      duid,
    ]);
    if (rows.length === 0) return false;
    const records = await this.occupants.recordsAt(mpxn);
    const isCustomer = ({ occupancy, isVerified, rejected }: OccupantRecord) =>
      occupancy === 'current' && isVerified && rejected.length === 0;
    return records
      .filter(isReadable)
      .filter(isCustomer)
      .some((record) =>
        rows.some(({ recordId, provenBy }) => recordId === record.id && provenBy.every((each) => holds(record, each))),
      );
  }
}
