import { DatabaseError, type Pool } from 'pg';
import { ADVISORY_LOCKS } from '../../server/database/advisory-locks';
import { clocksAgree } from '../../server/database/register-clock';
import { type Session, inTransaction } from '../../server/database/transaction';
import { type Purge, expiredRows } from '../../server/retention';
import { CHANGE_HANDLERS, type DueChange, MAX_MPXNS, UNPLANNED_KINDS } from './change-handlers.repository';

/** Receives the kind and the ids of changes that failed and were rescheduled, and the error. */
export type ChangeFailure = (
  error: unknown,
  changes: { readonly kind: string; readonly ids: readonly string[] },
) => void;

/**
 * The result of a transaction: changes were applied or rescheduled; none was due; or another transaction held the lock, which a tariff whose
 * end moves holds until its commit.
 */
export type ApplyOutcome = 'applied' | 'none' | 'locked';

/** How a transaction applies changes. */
export interface ApplyOptions {
  /** Whether it waits for the lock, for a limited time: a transaction that only tries never obtains a lock for which others always wait. */
  readonly isPatient?: boolean;
}

const TRY_LOCK = 'select pg_try_advisory_xact_lock($1) as locked';
/** Longest wait for the lock, which holds a session of the pool. */
const MAX_LOCK_WAIT_MS = 3_000;
const AWAIT_LOCK = `set local lock_timeout = ${MAX_LOCK_WAIT_MS}; select pg_advisory_xact_lock(${ADVISORY_LOCKS.effects});
  set local lock_timeout = 0`;
/** SQLSTATE of a statement that waited for a lock too long. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Due changes: `turn_at` is the next attempt, null before the first. A change that another transaction holds, such as a check that moves the
 * end of a tariff, is found when it has ended. Once a clock has jumped, no change that follows a planned instant is due.
 */
const DUE = {
  name: 'due_changes',
  text: `select id, kind, due_at as "dueAt", mpxn_hash as "mpxnHash", tariff_id as "tariffId", mpid, user_id as "userId",
      reached as "progressKey", faults as failures
    from tariff_effect where done_at is null and cancelled_at is null and coalesce(turn_at, due_at) <= register_now()
      and (kind in (${UNPLANNED_KINDS.map((kind) => `'${kind}'`).join(', ')}) or ${clocksAgree('$1')})
    order by coalesce(turn_at, due_at), due_at, id limit ${MAX_MPXNS}
    for update skip locked`,
};

/** Schedules the next attempt after 2 s, doubling to 256 s. */
const RESCHEDULE = {
  name: 'reschedule_changes',
  text: `update tariff_effect set faults = least(faults + 1, 1000),
      turn_at = register_now() + power(2, least(faults + 1, 8)) * interval '1 second'
    where id = any($1::bigint[]) and done_at is null and cancelled_at is null`,
};

const OVERDUE = `
  select coalesce(extract(epoch from register_now() - min(due_at)), 0)::float8 as seconds from tariff_effect
  where done_at is null and cancelled_at is null and due_at <= register_now()`;

/** SQL: the last end of changes whose retention has passed. */
const RETAINED_UNTIL = "register_now() - interval '30 days'";

/** Deletes changes 30 days after they were applied or cancelled. To every statement, an assignment without a change is an applied one. */
export const endedChanges = (pool: Pool): readonly Purge[] =>
  ['done_at', 'cancelled_at'].map((column) =>
    expiredRows(pool, { table: 'tariff_effect', column, through: RETAINED_UNTIL }),
  );

/** Applies scheduled changes (decisions C/D, D.3). Events and their deliveries are written in the transaction that applies the change. */
export class ScheduledChangeRepository {
  constructor(private readonly pool: Pool) {}

  /**
   * Applies due changes in one transaction. An advisory lock admits one process at a time; a crash rolls back. Failed changes are
   * rescheduled, so that other changes proceed.
   */
  async applyDue(onFailure: ChangeFailure, options: ApplyOptions = {}): Promise<ApplyOutcome> {
    let batch: readonly DueChange[] = [];
    try {
      return await inTransaction(this.pool, async (session) => {
        if (!(await lock(session, options))) return 'locked';
        batch = batchOf((await session.query<DueChange>({ ...DUE, values: [new Date()] })).rows);
        const [first] = batch;
        if (first !== undefined) await CHANGE_HANDLERS[first.kind](session, batch, first);
        return first === undefined ? 'none' : 'applied';
      });
    } catch (error) {
      const [first] = batch;
      if (first === undefined && error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE) return 'locked';
      if (first === undefined) throw error;
      const ids = batch.map(({ id }) => id);
      await this.pool.query({ ...RESCHEDULE, values: [ids] }).catch(() => {
        throw error;
      });
      onFailure(error, { kind: first.kind, ids });
      return 'applied';
    }
  }

  /** Returns the seconds since the oldest change that is not applied became due; 0 without one. */
  async overdueSeconds(): Promise<number> {
    const { rows } = await this.pool.query<{ seconds: number }>(OVERDUE);
    return rows[0]?.seconds ?? 0;
  }
}

async function lock(session: Session, { isPatient }: ApplyOptions): Promise<boolean> {
  if (isPatient) {
    await session.query(AWAIT_LOCK);
    return true;
  }
  const { rows } = await session.query<{ locked: boolean }>(TRY_LOCK, [ADVISORY_LOCKS.effects]);
  return rows[0]?.locked === true;
}

/** Kinds of changes that concern few MPxNs. */
const SMALL_KINDS: readonly DueChange['kind'][] = ['step', 'recheck', 'consent.revoked'];

/** Returns the changes to apply in one transaction: the first alone, or consecutive small ones of its kind that have not failed. */
function batchOf(due: readonly DueChange[]): readonly DueChange[] {
  const [first] = due;
  if (first === undefined || first.failures > 0 || !SMALL_KINDS.includes(first.kind)) return due.slice(0, 1);
  const end = due.findIndex(({ kind, failures }) => kind !== first.kind || failures > 0);
  return end === -1 ? due : due.slice(0, end);
}
