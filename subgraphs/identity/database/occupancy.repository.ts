import { isUuid } from '../../../schema/identifiers';
import type { Database } from '../../server/database';
import type { NamedStatement } from '../../server/short-reads';
import type { Session } from '../../server/transaction';
import type { OccupantRecord } from '../domain/occupant-record';
import type { BlindIndexes } from './blind-index';
import type { PersonalDataVault } from './personal-data-vault';
import { type OccupantRow, StoredOccupant } from './stored-occupant';
import { TODAY, effectiveChanges } from './tenancy-changes';

/** Most records that one question gives. */
const MOST_RECORDS = 500;

/** A live record with what is read beside it; selections add their conditions. */
const LIVE_OCCUPANTS = `
  select r.id, r.ref as ir, r.duid, r.created_at as "createdAt", r.meter_point_id as "meterPointId", r.sealed, k.wrapped as "wrappedKey",
    r.is_verified as "isVerified", encode(r.email_index, 'hex') as "emailContact",
    (select coalesce(json_agg(json_build_object('contact', encode(p.credential_hash, 'hex'), 'since', p.registered_at)
        order by p.registered_at), '[]')
      from passkey p where p.record_id = r.id and p.removed_at is null) as passkeys,
    (select coalesce(json_agg(json_build_object('tenancy', v.tenancy, 'contact', encode(v.contact, 'hex'), 'verdict', v.verdict)), '[]')
      from contact_verdict v where v.mpxn_index = r.mpxn_index) as verdicts,
    (select coalesce(json_agg(json_build_object('tenancy', c.tenancy, 'one', encode(c.one, 'hex'), 'other', encode(c.other, 'hex'))), '[]')
      from contact_proof c where c.mpxn_index = r.mpxn_index) as proofs,
    ${effectiveChanges('r.mpxn_index')} as changes, to_char(${TODAY}, 'YYYY-MM-DD') as today
  from identity_record r join identity_keys.data_key k on k.record_id = r.id
  where r.anonymised_at is null and r.closing_at is null`;

/** Filtered before any limit: nobody locks a customer out by records in which nobody vouches for an identity. */
const VERIFIED = 'r.is_verified is not false';
const NEWEST_FIRST = 'r.created_at desc, r.ref desc';

/** The newest of each Data User before the second newest of any: none fills the list alone. */
const IN_TURNS = `row_number() over (partition by r.duid order by ${NEWEST_FIRST}), ${NEWEST_FIRST}`;

const AT_METER_POINT: NamedStatement = {
  name: 'occupants_by_mpxn',
  text: `${LIVE_OCCUPANTS} and r.mpxn_index = $1 order by ${VERIFIED} desc, ${NEWEST_FIRST} limit ${MOST_RECORDS}`,
};
const VERIFIED_AT_METER_POINT: NamedStatement = {
  name: 'verified_occupants_by_mpxn',
  text: `${LIVE_OCCUPANTS} and r.mpxn_index = $1 and ${VERIFIED} order by ${IN_TURNS}`,
};
const VERIFIED_OF_EMAIL: NamedStatement = {
  name: 'verified_occupants_by_email',
  text: `${LIVE_OCCUPANTS} and r.email_index = $1 and ${VERIFIED} order by ${IN_TURNS} limit ${MOST_RECORDS}`,
};
const BY_ID: NamedStatement = { name: 'occupant_by_id', text: `${LIVE_OCCUPANTS} and r.id = $1` };
const BY_REF: NamedStatement = { name: 'occupant_by_ref', text: `${LIVE_OCCUPANTS} and r.ref = $1` };

/** The live Identity Records, of all Data Users, that re-identification and sign-in choose from: those neither anonymised nor closing. */
export class OccupancyRepository {
  constructor(
    private readonly database: Database,
    private readonly indexes: BlindIndexes,
    private readonly vault: PersonalDataVault,
  ) {}

  /** The records of a meter point, the verified ones before the others, each newest first: at most 500. */
  recordsAt(mpxn: string): Promise<OccupantRecord[]> {
    return this.records(AT_METER_POINT, this.indexes.mpxn(mpxn));
  }

  /** The verified records of a meter point, Data Users in turns, each newest first: all of them, of which a Data User has few. */
  verifiedAt(mpxn: string): Promise<OccupantRecord[]> {
    return this.verifiedAtIndex(this.indexes.mpxn(mpxn));
  }

  /** The same, by the blind index: one statement, so that records, proofs and verdicts are those of one instant. */
  verifiedAtIndex(mpxnIndex: Buffer, session?: Session): Promise<OccupantRecord[]> {
    return this.records(VERIFIED_AT_METER_POINT, mpxnIndex, session);
  }

  /** The verified records with an e-mail address, Data Users in turns, each newest first: at most 500. */
  verifiedOfEmail(email: string): Promise<OccupantRecord[]> {
    return this.records(VERIFIED_OF_EMAIL, this.indexes.email(email));
  }

  /** The record with an internal identifier. */
  async byId(id: string): Promise<OccupantRecord | undefined> {
    return isUuid(id) ? (await this.records(BY_ID, id))[0] : undefined;
  }

  /** The record with a key. */
  async byRef(ref: string): Promise<OccupantRecord | undefined> {
    return (await this.records(BY_REF, ref))[0];
  }

  private async records(statement: NamedStatement, key: unknown, session?: Session): Promise<OccupantRecord[]> {
    const rows = session
      ? (await session.query<OccupantRow>({ ...statement, values: [key] })).rows
      : await this.database.reads.rows<OccupantRow>(statement, [key]);
    return rows.map((row) => new StoredOccupant(row, this.vault));
  }
}
