import type { Pool } from 'pg';
import type { Session } from '../../server/database/transaction';
import type { Purge } from '../../server/retention';

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

const UNLINK = unlink('select id from access_record where identity_record_id = $1');

/**
 * Locks and returns the next 1,000 records of a closed Identity Record that still have their meter point, or a readable reference that rests
 * on it: a consent of Interface B may have moved to another Identity Record.
 */
const NEXT_LINKED = `select id, identity_record_id = $1 as "isLinked" from access_record where id in (
    (select id from access_record where identity_record_id = $1 and meter_point_id is not null limit 1000)
    union all
    (select record_id from access_record_version version where identity_record_id = $1 and (exists (
      select from access_keys.reference_key key
      where key.record_id = version.record_id and is_reference_forgotten(key.record_id, key.version)) or exists (
      select from access_record_version clear
      where clear.record_id = version.record_id and clear.document ->> 'controllerReference' is not null
        and clear.reference_sealed is null and is_reference_forgotten(clear.record_id, clear.version))) limit 1000))
  order by id limit 1000 for no key update`;

const DESTROY_REFERENCES = 'select destroy_references_of_records($1)';

/** Deletes lookup counts and portal aliases of unlinked records, and clears their meter points. Versions and transitions remain. */
const DROP = [
  `with gone as (
    select tableoid, ctid from look where record_id = any ($1) order by record_id, account_id, kind, hour for update
  )
  delete from look using gone where look.ctid = gone.ctid and look.tableoid = gone.tableoid`,
  'delete from portal_alias where record_id = any ($1)',
  'update access_record set meter_point_id = null where id = any ($1) and meter_point_id is not null',
];

/** Records whose Identity Record was closed within a day. */
const CLOSED_RECENTLY = `select id from access_record join closed_identity_link using (identity_record_id)
  where closed_at > register_now() - interval '1 day'`;

/** References that remain readable if a process of this release began a closing and one of the release before ended it. */
const DESTROY_LATE = `
  with late as materialized (
    select distinct record_id from access_keys.reference_key where record_id in (${CLOSED_RECENTLY}) limit 1000)
  select destroy_references_of_records(array(select record_id from late)) from late limit 1`;

/**
 * Clears the links that a Change of Tenancy or a claim wrote while their Identity Record was being closed: it had read the record before, and
 * the closing did not see the link. Each function returns the number of changed rows.
 */
export const lateLinks = (pool: Pick<Pool, 'query'>): Purge[] =>
  [...unlink(CLOSED_RECENTLY), DESTROY_LATE].map(
    (statement) => async () => (await pool.query(statement)).rowCount ?? 0,
  );

/** Clears the links to the records of a closed Identity Record: in change-of-tenancy events, and as superseding record. */
export async function unlinkRecords(session: Pick<Session, 'query'>, identityRecordId: string): Promise<void> {
  for (const statement of UNLINK) await session.query(statement, [identityRecordId]);
}

/**
 * Unlinks the next records of a closed Identity Record in a transaction of the caller; returns false if none is left. A record that moved to
 * another Identity Record only loses the references that rest on the closed one.
 */
export async function dropNext(session: Session, identityRecordId: string): Promise<boolean> {
  const { rows } = await session.query<{ id: string; isLinked: boolean | null }>(NEXT_LINKED, [identityRecordId]);
  if (rows.length === 0) return false;
  await session.query(DESTROY_REFERENCES, [rows.map(({ id }) => id)]);
  const linked = rows.filter(({ isLinked }) => isLinked).map(({ id }) => id);
  for (const statement of DROP) await session.query(statement, [linked]);
  return true;
}
