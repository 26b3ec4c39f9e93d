import type { Pool } from 'pg';
import type { Database } from '../../server/database/database';
import { type Session, inTransaction } from '../../server/database/transaction';
import type { Purge } from '../../server/retention';
import { stateChange } from '../records/transitions';
import { isActive } from '../records/record-state.sql';

/**
 * Waits for the end of registrations, then of changes of linked records: a change that started before an expiry may still move the link.
 * Each statement has its own snapshot, so the next one sees their results; trigger `not_of_closed` rejects later changes.
 */
const LOCKS = [
  'select pg_advisory_xact_lock(lock_of_identity_record($1))',
  'select from access_record where identity_record_id = $1 order by id for no key update',
];

const CLOSE = `
  with open as (
    select where not exists (select from access_record where identity_record_id = $1 and ${isActive()})
  )
  insert into closed_identity_link (identity_record_id) select $1 from open on conflict do nothing`;

const CLOSED = 'select from closed_identity_link where identity_record_id = $1';

/** The records of a Change of Tenancy event in their order, without the closed ones. */
const AFFECTED_STILL = `array(
  select affected.id from unnest(record_ids) with ordinality as affected (id, place)
  where not exists (select from unnest(closed.ids) as gone (id) where gone.id = affected.id) order by place)`;

/** Statements that clear the links to the records `ids`, a subselect: in change-of-tenancy events, and as superseding record. */
const unlink = (ids: string): string[] => [
  `with closed as (select array(${ids}) as ids)
  update event set record_ids = ${AFFECTED_STILL} from closed where type = 'tenancy.change' and record_ids && closed.ids`,
  `update access_record set superseded_by = null where superseded_by in (${ids})`,
];

/**
 * Unlinks the records of a closed Identity Record: clears superseding record, meter point and change-of-tenancy events; deletes lookup
 * counts and portal aliases. Versions and transitions remain, and the database makes their references unreadable (`destroy_references`).
 */
const DROP = [
  ...unlink('select id from access_record where identity_record_id = $1'),
  'update access_record set meter_point_id = null where identity_record_id = $1 and meter_point_id is not null',
  `with gone as (
    select tableoid, ctid from look where record_id in (select id from access_record where identity_record_id = $1)
    order by record_id, account_id, kind, hour for update
  )
  delete from look using gone where look.ctid = gone.ctid and look.tableoid = gone.tableoid`,
  'delete from portal_alias where record_id in (select id from access_record where identity_record_id = $1)',
];

/** Records whose Identity Record was closed within a day. */
const CLOSED_RECENTLY = `select id from access_record join closed_identity_link using (identity_record_id)
  where closed_at > register_now() - interval '1 day'`;

/**
 * Clears the links that a Change of Tenancy or a claim wrote while their Identity Record was being closed: it had read the record before, and
 * the closing did not see the link. Each function returns the number of changed rows.
 */
export const lateLinks = (pool: Pick<Pool, 'query'>): Purge[] =>
  unlink(CLOSED_RECENTLY).map((statement) => async () => (await pool.query(statement)).rowCount ?? 0);

/**
 * Revokes ACTIVE records that a restore brought back and whose Identity Record was anonymised after the backup. They had ended before, or
 * were consents of Interface B that had moved to an Identity Record which the backup does not contain.
 */
const END_ACTIVE = `with ${stateChange({
  cause: 'revoked',
  where: `identity_record_id = $1 and ${isActive()}`,
  account: `'restore'`,
})} select from record`;

/**
 * Closes an Identity Record in a restored database, whatever is linked to it; returns how many ACTIVE records it revoked. Waits for
 * registrations in progress, and those that start before the end of the transaction wait and are rejected.
 */
export async function endLinked(session: Session, identityRecordId: string): Promise<number> {
  for (const lock of LOCKS) await session.query(lock, [identityRecordId]);
  await session.query('insert into closed_identity_link (identity_record_id) values ($1) on conflict do nothing', [
    identityRecordId,
  ]);
  const { rowCount } = await session.query(END_ACTIVE, [identityRecordId]);
  for (const statement of DROP) await session.query(statement, [identityRecordId]);
  return rowCount ?? 0;
}

const DESTROY_REFERENCES = [
  'select access.destroy_references(array(select identity_record_id from access.closed_identity_link))',
  `delete from access_keys.reference_key k where not exists (
    select from access.access_record_version v where v.record_id = k.record_id and v.version = k.version and v.reference_sealed is not null)`,
];

/**
 * Destroys data that a restore brought back: references in clear and data keys of closed Identity Records, and data keys of versions that
 * the backup does not contain, because their numbers will be used again.
 */
export async function destroyReferencesOfClosed(session: Session): Promise<void> {
  for (const statement of DESTROY_REFERENCES) await session.query(statement);
}

/**
 * Result of a closing: an ACTIVE record of the Identity Record's own Data User prevents it, one of another Data User delays it.
 */
type Closing = 'closed' | 'refused' | 'delayed';

const OWN_ACTIVE = `
  select count(*)::int as own from access_record where identity_record_id = $1 and duid = $2 and ${isActive()}`;

/** Closes Identity Records in `access`: no access record can be linked to a closed one (decisions A/B, 4). */
export class ClosingRepository {
  constructor(private readonly database: Database) {}

  /** Closes the Identity Record of a Data User unless an ACTIVE record is linked to it. Idempotent. */
  close(identityRecordId: string, duid: string): Promise<Closing> {
    return inTransaction(this.database.pool, async (session) => {
      for (const lock of LOCKS) await session.query(lock, [identityRecordId]);
      const { rowCount: already } = await session.query(CLOSED, [identityRecordId]);
      if (already === 0) await session.query(CLOSE, [identityRecordId]);
      const { rowCount: closed } = await session.query(CLOSED, [identityRecordId]);
      if (closed === 0) return stillOpen(session, identityRecordId, duid);
      for (const statement of DROP) await session.query(statement, [identityRecordId]);
      return 'closed';
    });
  }
}

async function stillOpen(session: Session, identityRecordId: string, duid: string): Promise<Closing> {
  const { rows } = await session.query<{ own: number }>(OWN_ACTIVE, [identityRecordId, duid]);
  return (rows[0]?.own ?? 0) > 0 ? 'refused' : 'delayed';
}
