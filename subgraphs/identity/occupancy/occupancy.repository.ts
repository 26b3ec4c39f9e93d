import { isUuid } from '../../../schema/identifiers';
import type { Database } from '../../server/database/database';
import type { NamedStatement } from '../../server/database/short-reads';
import type { Session } from '../../server/database/transaction';
import { type OccupantRecord, type TenancyChange, isReadable } from './occupancy';
import { lockMeterPoint } from '../locks.sql';
import type { BlindIndexes } from '../records/blind-index';
import type { PersonalDataCipher } from '../records/personal-data-cipher';
import {
  BY_DATA_USER,
  LIVE,
  MAX_RECORDS,
  NEWEST_FIRST,
  RECORDS_OF_METER_POINT,
  VERIFIED,
} from './meter-point-records.sql';
import { type OccupantRow, StoredOccupant } from './stored-occupant.queries';
import { TODAY, effectiveChanges, type TenancyChangeRow, changesOf } from './tenancy-change.sql';

/** SQL: the members of a verdict or proof that decide which records it concerns. */
const finding = (table: string, at: string): string =>
  `'tenancy', ${table}.tenancy, 'at', ${table}.${at}, 'day', to_char(${table}.${at} at time zone 'Europe/London', 'YYYY-MM-DD')`;

/** Records with their passkeys, verdicts, proofs and changes; selections add conditions. */
const OCCUPANTS = `
  select r.id, r.ref as ir, r.duid, r.created_at as "createdAt", r.meter_point_id as "meterPointId", r.sealed, k.wrapped as "wrappedKey",
    r.is_verified as "isVerified", r.closing_at is not null as "isClosing", r.closed_at is not null as "isClosed", encode(r.email_index, 'hex') as "emailContact",
    (select coalesce(json_agg(json_build_object('contact', encode(p.credential_hash, 'hex'), 'since', p.registered_at)
        order by p.registered_at), '[]')
      from passkey p where p.record_id = r.id and p.removed_at is null) as passkeys,
    (select coalesce(json_agg(json_build_object(${finding('v', 'judged_at')}, 'contact', encode(v.contact, 'hex'), 'verdict', v.verdict)
        order by v.judged_at), '[]')
      from contact_verdict v where v.mpxn_index = r.mpxn_index) as verdicts,
    (select coalesce(json_agg(encode(a.contact, 'hex')), '[]') from rejected_assertion a where a.record_id = r.id) as "rejectedAssertions",
    (select coalesce(json_agg(json_build_object(${finding('c', 'proven_at')}, 'one', encode(c.one, 'hex'), 'other', encode(c.other, 'hex'))), '[]')
      from contact_proof c where c.mpxn_index = r.mpxn_index) as proofs,
    ${effectiveChanges('r.mpxn_index')} as changes, to_char(${TODAY}, 'YYYY-MM-DD') as today
  from identity_record r join identity_keys.data_key k on k.record_id = r.id`;

const LIVE_OCCUPANTS = `${OCCUPANTS} where ${LIVE}`;

const AT_METER_POINT: NamedStatement = {
  name: 'occupants_by_mpxn',
  text: `${LIVE_OCCUPANTS} and r.id in (${RECORDS_OF_METER_POINT}) order by ${VERIFIED} desc, ${NEWEST_FIRST}`,
};
const VERIFIED_AT_METER_POINT: NamedStatement = {
  name: 'verified_occupants_by_mpxn',
  text: `${LIVE_OCCUPANTS} and r.mpxn_index = $1 and ${VERIFIED} order by ${BY_DATA_USER}`,
};
const WITH_CLOSED_AT_METER_POINT: NamedStatement = {
  name: 'verified_occupants_with_closed_by_mpxn',
  text: `${OCCUPANTS} where r.anonymised_at is null and r.mpxn_index = $1 and ${VERIFIED} order by ${BY_DATA_USER}`,
};
const VERIFIED_OF_EMAIL: NamedStatement = {
  name: 'verified_occupants_by_email',
  text: `${LIVE_OCCUPANTS} and r.email_index = $1 and ${VERIFIED} order by ${BY_DATA_USER} limit ${MAX_RECORDS}`,
};
const BY_ID: NamedStatement = { name: 'occupant_by_id', text: `${LIVE_OCCUPANTS} and r.id = $1` };
const BY_REF: NamedStatement = { name: 'occupant_by_ref', text: `${LIVE_OCCUPANTS} and r.ref = $1` };

/** Live Identity Records of all Data Users, from which re-identification and sign-in choose. */
export class OccupancyRepository {
  constructor(
    private readonly database: Database,
    private readonly indexes: BlindIndexes,
    private readonly cipher: PersonalDataCipher,
  ) {}

  /** Returns the records of a meter point, verified ones first, each newest first. Of more than 500, it returns the newest of each Data User. */
  recordsAt(mpxn: string): Promise<OccupantRecord[]> {
    return this.records(AT_METER_POINT, this.indexes.mpxn(mpxn));
  }

  /** Returns all verified records of a meter point, alternating between Data Users, each newest first. Each Data User has few. */
  verifiedAt(mpxn: string, session?: Session): Promise<OccupantRecord[]> {
    return this.verifiedAtIndex(this.indexes.mpxn(mpxn), session);
  }

  /**
   * Like {@link verifiedAt}, for a blind index. One statement reads records, proofs and verdicts, so that they are of
   * the same instant.
   */
  verifiedAtIndex(mpxnIndex: Buffer, session?: Session): Promise<OccupantRecord[]> {
    return this.records(VERIFIED_AT_METER_POINT, mpxnIndex, session);
  }

  /** Like {@link verifiedAtIndex}, with the records that are closed. */
  verifiedWithClosed(mpxnIndex: Buffer): Promise<OccupantRecord[]> {
    return this.records(WITH_CLOSED_AT_METER_POINT, mpxnIndex);
  }

  /**
   * Returns the verified records with an e-mail address, alternating between Data Users, each newest first, at most 500. Records that cannot be
   * decrypted are omitted: they do not prevent sign-in at other homes.
   */
  async verifiedOfEmail(email: string): Promise<OccupantRecord[]> {
    return (await this.records(VERIFIED_OF_EMAIL, this.indexes.email(email))).filter(isReadable);
  }

  /** Returns the record with an internal id. */
  async byId(id: string): Promise<OccupantRecord | undefined> {
    return isUuid(id) ? (await this.records(BY_ID, id))[0] : undefined;
  }

  /** Locks the meter point of a record until the transaction ends, and returns the record by what is committed then. */
  async locked(
    session: Session,
    { id, mpxn }: Pick<OccupantRecord, 'id' | 'mpxn'>,
  ): Promise<OccupantRecord | undefined> {
    await lockMeterPoint(session, this.indexes.mpxn(mpxn));
    return (await this.records(BY_ID, id, session))[0];
  }

  /** Returns the record with a key. */
  async byRef(ref: string): Promise<OccupantRecord | undefined> {
    return (await this.records(BY_REF, ref))[0];
  }

  private async records(statement: NamedStatement, key: unknown, session?: Session): Promise<OccupantRecord[]> {
    const rows = session
      ? (await session.query<OccupantRow>({ ...statement, values: [key] })).rows
      : await this.database.reads.rows<OccupantRow>(statement, [key]);
    return rows.map((row) => new StoredOccupant(row, this.cipher));
  }
}

/**
 * Returns the verified records of a meter point while one of them ends. Records that cannot be decrypted are omitted: they do not prevent
 * the end of another.
 */
export async function verifiedUntilEnd(
  session: Session,
  cipher: PersonalDataCipher,
  mpxnIndex: Buffer,
): Promise<OccupantRecord[]> {
  const { rows } = await session.query<OccupantRow>({ ...VERIFIED_AT_METER_POINT, values: [mpxnIndex] });
  return rows.map((row) => new StoredOccupant(row, cipher)).filter(isReadable);
}

/** Tenancies of a meter point: effective Changes of Tenancy in ascending order, and the present day. */
interface Tenancy {
  readonly changes: readonly TenancyChange[];
  /** The present day in Great Britain, `YYYY-MM-DD`. */
  readonly today: string;
}

const TENANCY = {
  name: 'tenancy_by_mpxn',
  text: `select to_char(${TODAY}, 'YYYY-MM-DD') as today, ${effectiveChanges('$1')} as changes`,
};

/** Tenancies by recorded Changes of Tenancy. */
export class TenancyRepository {
  constructor(
    private readonly database: Database,
    private readonly indexes: BlindIndexes,
  ) {}

  /** Returns the tenancies of a meter point up to now. */
  async at(mpxn: string): Promise<Tenancy> {
    type Row = { readonly today: string; readonly changes: readonly TenancyChangeRow[] };
    const [row] = await this.database.reads.rows<Row>(TENANCY, [this.indexes.mpxn(mpxn)]);
    const { today, changes } = row as Row;
    return { today, changes: changesOf(changes) };
  }
}
