import { isUuid } from '../../../schema/identifiers';
import type { Database } from '../../server/database';
import type { NamedStatement } from '../../server/short-reads';
import type { OccupantRecord } from '../domain/occupant-record';
import type { BlindIndexes } from './blind-index';
import type { PersonalDataVault } from './personal-data-vault';
import { type OccupantRow, StoredOccupant } from './stored-occupant';

/** Most records that one question gives, the newest. */
const MOST_RECORDS = 500;

const LIVE = `
  select r.id, r.ref as ir, r.duid, r.created_at as "createdAt", r.meter_point_id as "meterPointId", r.sealed, k.wrapped as "wrappedKey",
    exists (select from passkey p where p.record_id = r.id and p.removed_at is null) as "hasPasskey",
    (select to_char(max(c.effective_date), 'YYYY-MM-DD') from change_of_tenancy c where c.mpxn_index = r.mpxn_index
      and c.effective_date <= day.today) as "occupiedSince", to_char(day.today, 'YYYY-MM-DD') as today
  from identity_record r join identity_keys.data_key k on k.record_id = r.id
    cross join (select (register_now() at time zone 'Europe/London')::date as today) day
  where r.anonymised_at is null and r.closing_at is null`;
const NEWEST_FIRST = `order by r.created_at desc, r.ref desc limit ${MOST_RECORDS}`;

const AT_METER_POINT: NamedStatement = {
  name: 'occupants_by_mpxn',
  text: `${LIVE} and r.mpxn_index = $1 ${NEWEST_FIRST}`,
};
const OF_EMAIL: NamedStatement = { name: 'occupants_by_email', text: `${LIVE} and r.email_index = $1 ${NEWEST_FIRST}` };
const BY_ID: NamedStatement = { name: 'occupant_by_id', text: `${LIVE} and r.id = $1` };
const BY_REF: NamedStatement = { name: 'occupant_by_ref', text: `${LIVE} and r.ref = $1` };

/** The live Identity Records, of all Data Users, that re-identification and sign-in choose from: those neither anonymised nor closing. */
export class OccupancyRepository {
  constructor(
    private readonly database: Database,
    private readonly indexes: BlindIndexes,
    private readonly vault: PersonalDataVault,
  ) {}

  /** The records of a meter point, newest first. */
  recordsAt(mpxn: string): Promise<OccupantRecord[]> {
    return this.records(AT_METER_POINT, this.indexes.mpxn(mpxn));
  }

  /** The records with an e-mail address, newest first. */
  recordsOfEmail(email: string): Promise<OccupantRecord[]> {
    return this.records(OF_EMAIL, this.indexes.email(email));
  }

  /** The record with an internal identifier. */
  async byId(id: string): Promise<OccupantRecord | undefined> {
    return isUuid(id) ? (await this.records(BY_ID, id))[0] : undefined;
  }

  /** The record with a key. */
  async byRef(ref: string): Promise<OccupantRecord | undefined> {
    return (await this.records(BY_REF, ref))[0];
  }

  private async records(statement: NamedStatement, key: unknown): Promise<OccupantRecord[]> {
    const rows = await this.database.reads.rows<OccupantRow>(statement, [key]);
    return rows.map((row) => new StoredOccupant(row, this.vault));
  }
}
