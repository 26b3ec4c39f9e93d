import type { Database } from '../../server/database/database';
import { type Session, inTransaction } from '../../server/database/transaction';
import { stateChange } from '../records/transitions';
import { isActive } from '../records/record-state.sql';
import { dropNext, unlinkRecords } from './unlinking.repository';

/** The lock of an Identity Record, which registrations that link to it share. */
const LOCK = 'select pg_advisory_xact_lock(access.lock_of_identity_record($1))';

/**
 * Waits for the end of registrations, then of changes of linked records: a change that started before an expiry may still move the link.
 * Each statement has its own snapshot, so the next one sees their results; trigger `not_of_closed` rejects later changes.
 */
const LOCKS = [LOCK, 'select from access_record where identity_record_id = $1 order by id for no key update'];

const CLOSE = `
  with open as (
    select where not exists (select from access_record where identity_record_id = $1 and ${isActive()})
  )
  insert into closed_identity_link (identity_record_id) select $1 from open on conflict do nothing`;

/** The trigger of `closed_identity_link` leaves the references to the batches that follow. */
const IN_BATCHES = `set local register.references_in_batches = 'on'`;

const CLOSED = 'select from closed_identity_link where identity_record_id = $1';

/**
 * Revokes ACTIVE records that a restore brought back and whose Identity Record was anonymised after the backup. They had ended before, or
 * were consents of Interface B that had moved to an Identity Record which the backup does not contain.
 */
const END_ACTIVE = `with ${stateChange({
  cause: 'revoked',
  where: `identity_record_id = $1 and ${isActive()}`,
  account: `'restore'`,
})} select from record`;

/** Rejects new links to an Identity Record that a restore closes again, although ACTIVE records are linked to it. */
export async function rejectLinks(session: Session, identityRecordId: string): Promise<void> {
  await session.query(LOCK, [identityRecordId]);
  await session.query('insert into access.delayed_closing (identity_record_id) values ($1) on conflict do nothing', [
    identityRecordId,
  ]);
}

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
  await unlinkRecords(session, identityRecordId);
  while (await dropNext(session, identityRecordId));
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
 * Result of a closing: an ACTIVE record of the Identity Record's own Data User prevents it. One of another Data User delays it, as do more
 * linked records than a call can unlink.
 */
type Closing = 'closed' | 'refused' | 'delayed';

/**
 * Delays a closing unless an ACTIVE record of the Identity Record's own Data User prevents it. From then on trigger `not_to_closed` rejects
 * links of registrations that were admitted before: such a record could delay the closing for ever.
 */
const DELAY = `
  insert into delayed_closing (identity_record_id)
  select $1 where not exists (select from access_record where identity_record_id = $1 and duid = $2 and ${isActive()})
  on conflict do nothing`;

/** Once delayed, a closing is never rejected: `identity` may have closed the Identity Record permanently. */
const DELAYED = 'select from delayed_closing where identity_record_id = $1';

/** A delayed closing while an ACTIVE record is still linked: a repeat finds this without a lock. */
const STILL_DELAYED = `${DELAYED} and exists (select from access_record where identity_record_id = $1 and ${isActive()})`;

/** Milliseconds after which a call begins no further batch of linked records. A service waits 8.5 seconds for a response. */
const MAX_UNLINKING_MS = 3_000;

/** Closes Identity Records in `access`: no access record can be linked to one that is closed, or whose closing is delayed (decisions A/B, 4). */
export class ClosingRepository {
  constructor(
    private readonly database: Database,
    private readonly maxUnlinkingMs = MAX_UNLINKING_MS,
  ) {}

  /**
   * Closes the Identity Record of a Data User unless an ACTIVE record is linked to it, then unlinks its records in batches. If many are
   * linked, the next call continues. Until ACTIVE records of other Data Users have ended, it only rejects new links. Idempotent.
   */
  async close(identityRecordId: string, duid: string): Promise<Closing> {
    const { pool } = this.database;
    const start = performance.now();
    const { rowCount: before } = await pool.query(CLOSED, [identityRecordId]);
    const closing = before === 1 ? 'closed' : await this.beginUnlessDelayed(identityRecordId, duid);
    if (closing !== 'closed') return closing;
    await unlinkRecords(pool, identityRecordId);
    while (await inTransaction(pool, (session) => dropNext(session, identityRecordId))) {
      if (performance.now() - start > this.maxUnlinkingMs) return 'delayed';
    }
    return 'closed';
  }

  private async beginUnlessDelayed(identityRecordId: string, duid: string): Promise<Closing> {
    const { rowCount: still } = await this.database.pool.query(STILL_DELAYED, [identityRecordId]);
    return still === 1 ? 'delayed' : this.begin(identityRecordId, duid);
  }

  private begin(identityRecordId: string, duid: string): Promise<Closing> {
    return inTransaction(this.database.pool, async (session) => {
      for (const lock of LOCKS) await session.query(lock, [identityRecordId]);
      const { rowCount: already } = await session.query(CLOSED, [identityRecordId]);
      if (already === 1) return 'closed';
      await session.query(IN_BATCHES);
      const { rowCount: closed } = await session.query(CLOSE, [identityRecordId]);
      return closed === 1 ? 'closed' : stillOpen(session, identityRecordId, duid);
    });
  }
}

async function stillOpen(session: Session, identityRecordId: string, duid: string): Promise<Closing> {
  await session.query(DELAY, [identityRecordId, duid]);
  const { rowCount: delayed } = await session.query(DELAYED, [identityRecordId]);
  return delayed === 1 ? 'delayed' : 'refused';
}
