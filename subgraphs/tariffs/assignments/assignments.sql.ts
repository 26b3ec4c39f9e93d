import type { Session } from '../../server/database/transaction';

/** SQL: selects from rows of `tariff_step`, those of an MPxN up to an instant, the one that counts then, as `assignmentAt` does. */
export const NEWEST_STEP =
  '(tariff_id is not null or ends_assignment(tariff_step)) order by valid_from desc, tariff_id is null limit 1';

/**
 * SQL: the common table expression `applied_now (mpxn_hash, tariff_id)` of a `with recursive`. It selects the tariff that applies now to
 * each MPxN at a supplier, and omits MPxNs without one. It computes the rule of `applied-tariff.ts` in the statement that also
 * checks authorisation.
 *
 * @param points a query of distinct values of `mpxn_hash`
 * @param mpid an expression for the supplier
 */
export const appliedNow = (points: string, mpid: string): string => `
  chain (mpxn_hash, tariff_id, length) as (
    select point.mpxn_hash, step.tariff_id, 0 from (${points}) point cross join lateral (
      select tariff_id, mpid from tariff_step
      where tariff_step.mpxn_hash = point.mpxn_hash and withdrawn_at is null and valid_from <= register_now()
        and ${NEWEST_STEP}) step
    where step.mpid = ${mpid}
    union all
    select chain.mpxn_hash, next.tariff_id, length + 1 from chain join tariff next on next.replaces = chain.tariff_id
    where greatest(next.valid_from, next.published_at) <= register_now()),
  applied_now as (
    select present.mpxn_hash, tariff_id
    from (select distinct on (mpxn_hash) mpxn_hash, tariff_id from chain order by mpxn_hash, length desc) present
      join tariff using (tariff_id)
    where tariff.valid_from <= register_now() and (tariff.valid_to is null or tariff.valid_to > register_now()))`;

/**
 * Locks an MPxN exclusively until the transaction ends. The lock is a statement of its own, so that the next statement reads what the
 * transactions that it waited for have committed.
 */
export async function lockMpxn(session: Session, mpxnHash: Buffer): Promise<void> {
  await session.query('select pg_advisory_xact_lock(lock_of_mpxn($1))', [mpxnHash]);
}

const LOCK_SHARED = `
  select pg_advisory_xact_lock_shared(lock) from (
    select distinct lock_of_mpxn(hash) as lock from unnest($1::bytea[]) hash order by lock) ordered`;

/** Locks MPxNs in share mode until the transaction ends: excludes changes of their assignments and occupancies, but not other consents. */
export async function lockMpxnsShared(session: Session, mpxnHashes: readonly Buffer[]): Promise<void> {
  await session.query(LOCK_SHARED, [mpxnHashes]);
}
