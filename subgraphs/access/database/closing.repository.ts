import type { Database } from '../../server/database';
import { type Session, inTransaction } from '../../server/transaction';
import { NEXT_NUMBER } from './access-record.repository';
import { isActive } from './record-state';

/**
 * First no registration is under way any more, then no change of what is linked: a change that began before an expiry may still move it
 * away. Each statement looks anew, so the next one sees how they ended; changes that come later are refused by `not_of_closed`.
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

/** Those of some records that a Change of Tenancy affected, in their order, without the closed ones. */
const AFFECTED_STILL = `array(
  select id from unnest(record_ids) with ordinality as affected (id, place) where id <> all (closed.ids) order by place)`;

/** What the records keep is their history; where they were, by what else that could be told, who looked, and under which aliases portals knew them is dropped. */
const DROP = [
  `with closed as (select array(select id from access_record where identity_record_id = $1) as ids)
  update event set record_ids = ${AFFECTED_STILL} from closed where type = 'tenancy.change' and record_ids && closed.ids`,
  'update access_record set superseded_by = null where superseded_by in (select id from access_record where identity_record_id = $1)',
  'update access_record set meter_point_id = null where identity_record_id = $1 and meter_point_id is not null',
  `with gone as (
    select ctid from look where record_id in (select id from access_record where identity_record_id = $1)
    order by record_id, account_id, kind, hour for update
  )
  delete from look using gone where look.ctid = gone.ctid`,
  'delete from portal_alias where record_id in (select id from access_record where identity_record_id = $1)',
];

/**
 * ACTIVE records that a restore brought back, of an Identity Record that was anonymised since: they had ended before it was, or were
 * consents of Interface B that had moved on to another Identity Record, which the backup does not have.
 */
const END_ACTIVE = `
  with record as (
    update access_record set state = 'REVOKED', revoked_at = register_now()
    where identity_record_id = $1 and ${isActive()} returning id
  )
  insert into access_record_transition (record_id, number, from_state, to_state, cause, account_id)
  select id, ${NEXT_NUMBER}, 'ACTIVE', 'REVOKED', 'revoked', 'restore' from record`;

/** Closes an Identity Record whatever is linked to it, for a restore; answers how many ACTIVE records were revoked. */
export async function endLinked(session: Session, identityRecordId: string): Promise<number> {
  await session.query('insert into closed_identity_link (identity_record_id) values ($1) on conflict do nothing', [
    identityRecordId,
  ]);
  const { rowCount } = await session.query(END_ACTIVE, [identityRecordId]);
  for (const statement of DROP) await session.query(statement, [identityRecordId]);
  return rowCount ?? 0;
}

/** What an ACTIVE record that is linked to an Identity Record means for its closing: one of its own Data User refuses, one of another delays it. */
export type Closing = 'closed' | 'refused' | 'delayed';

const OWN_ACTIVE = `
  select count(*)::int as own from access_record where identity_record_id = $1 and duid = $2 and ${isActive()}`;

/** Closes Identity Records for access records: none is linked to a closed one any more (2-decisions-a-b.md, section 4). */
export class ClosingRepository {
  constructor(private readonly database: Database) {}

  /** Closes the Identity Record of a Data User, unless an ACTIVE record is linked to it. May be repeated: what was closed stays closed. */
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
