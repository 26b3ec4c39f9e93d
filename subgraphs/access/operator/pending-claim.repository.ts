import type { Pool } from 'pg';
import { type Session, inTransaction } from '../../server/database/transaction';

/** Records that one transaction searches at most, which bounds how long other transactions wait. */
const MAX_RECORDS = 100;

/** Waits for the part of a search that is in progress: it searches for the former name, and the search starts over. */
const REQUEST = `
  insert into pending_claim (duid) values ($1)
  on conflict (duid) do update set after_created_at = default, after_id = default`;

/**
 * Locks the account of a search, so that neither its name nor its status changes during a part; skips those that another transaction has
 * locked. Registrations do not wait for this lock.
 */
const NEXT = `
  select duid from account where exists (select from pending_claim where pending_claim.duid = account.duid)
  order by duid limit 1 for no key update skip locked`;

/** Locks the search after its account, as a new name does. A part that another process has just committed may have ended it. */
const SEARCH = `
  select after_created_at::text as "createdAt", after_id as id from pending_claim where duid = $1 for no key update`;

const RECORDS = {
  name: 'records_that_may_claim',
  text: `select id, created_at::text as "createdAt" from access_record
    where duid = $1 and state = 'ACTIVE' and (created_at, id) > ($2::timestamptz, $3::uuid)
    order by created_at, id limit ${MAX_RECORDS}`,
};

/**
 * All searches claim in the order of meter points, so that two of them cannot deadlock. Each shares the lock of the meter point with
 * registrations; a report of the operator has it alone.
 */
const CLAIM = {
  name: 'claim_for_records',
  text: `select pg_advisory_xact_lock_shared(lock_of_meter_point(meter_point_id)), claim_discovered_at(meter_point_id, $1) from (
      select distinct meter_point_id from access_record record where id = any($2::uuid[]) and exists (
        select from access_record discovered
        where discovered.meter_point_id = record.meter_point_id and discovered.state = 'DISCOVERED' and discovered.claimed_at is null)
      order by meter_point_id) meter_point`,
};

const ADVANCE = 'update pending_claim set after_created_at = $2::timestamptz, after_id = $3 where duid = $1';
const FINISH = 'delete from pending_claim where duid = $1';

/** A position in the records of a Data User, oldest first. PostgreSQL writes the instant, because a Date has no microseconds. */
interface Position {
  readonly createdAt: string;
  readonly id: string;
}

/**
 * Requests a search for the discovered accesses that a Data User claims by its new name or reference, in the transaction that stores it. What
 * is registered or reported after that transaction is claimed at once, and needs no search.
 */
export async function requestClaims(session: Session, duid: string): Promise<void> {
  await session.query(REQUEST, [duid]);
}

/** Claims for the next {@link MAX_RECORDS} records of a requested search, in one transaction; returns false if there is none. */
export function claimSome(pool: Pool): Promise<boolean> {
  return inTransaction(pool, async (session) => {
    const [account] = (await session.query<{ duid: string }>(NEXT)).rows;
    if (account === undefined) return false;
    const { duid } = account;
    const [search] = (await session.query<Position>(SEARCH, [duid])).rows;
    if (search === undefined) return true;
    const { createdAt, id } = search;
    const { rows: records } = await session.query<Position>({ ...RECORDS, values: [duid, createdAt, id] });
    await session.query({ ...CLAIM, values: [duid, records.map((record) => record.id)] });
    const last = records[MAX_RECORDS - 1];
    await (last === undefined
      ? session.query(FINISH, [duid])
      : session.query(ADVANCE, [duid, last.createdAt, last.id]));
    return true;
  });
}
