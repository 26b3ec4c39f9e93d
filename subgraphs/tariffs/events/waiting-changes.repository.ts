import type { Pool } from 'pg';
import { inTransaction } from '../../server/database/transaction';
import { UNPLANNED_KINDS } from './change-handlers.repository';

/** Waiting changes that one transaction reads, corrected or not, which bounds its time. */
const BATCH_SIZE = 1_000;
/** Longest delay of a change that failed. */
const MAX_DELAY = "interval '256 s'";

/**
 * Reads the waiting changes after a position ($2 to $4), in the order of their partial index, and when each is due by the present clock. An
 * unplanned change is due when it is recorded, and an assignment at its start or, if that has passed, when it is recorded.
 */
const READ_WAITING = `
  select id, "turnAt"::text, "dueAt"::text, correct::text,
    "turnAt" > greatest(correct, register_now()) + case when faults = 0 then interval '0' else ${MAX_DELAY} end as "isTooLate"
  from (
    select effect.id, faults, coalesce(turn_at, due_at) as "turnAt", due_at as "dueAt", least(due_at, case
        when kind = any($1) then register_now()
        when kind = 'step' then date_trunc('milliseconds', greatest(valid_from, register_now()))
        else due_at end) as correct
    from tariff_effect effect left join tariff_step step on step.id = step_id
    where done_at is null and cancelled_at is null and coalesce(turn_at, due_at) > register_now()
      and (coalesce(turn_at, due_at), due_at, effect.id) > ($2::timestamptz, $3::timestamptz, $4::bigint)
    order by coalesce(turn_at, due_at), due_at, effect.id limit ${BATCH_SIZE}) waiting
  order by waiting."turnAt", waiting."dueAt", id`;

/** A waiting change, and its position. */
interface WaitingChange {
  readonly id: string;
  readonly turnAt: string;
  readonly dueAt: string;
  readonly correct: string;
  readonly isTooLate: boolean;
}

type Position = Pick<WaitingChange, 'turnAt' | 'dueAt' | 'id'>;

const START: Position = { turnAt: '-infinity', dueAt: '-infinity', id: '0' };

/** Passes over a change that is locked: it is being applied, or cancelled. */
const CORRECT = `
  update tariff_effect effect set turn_at = null, due_at = found.correct from (
    select id, correct from unnest($1::bigint[], $2::timestamptz[]) as late (id, correct) join tariff_effect using (id)
    where done_at is null and cancelled_at is null order by id for update of tariff_effect skip locked) found
  where effect.id = found.id`;

/**
 * Corrects changes that were recorded, applied in part or rescheduled while the clock was ahead: otherwise they would wait until it shows that
 * time again. Planned instants do not change.
 */
export async function correctWaitingChanges(pool: Pool): Promise<void> {
  let after: Position | undefined = START;
  while (after !== undefined) after = await correctSome(pool, after);
}

/** Corrects the next waiting changes; returns the position of the last one if others may follow. */
function correctSome(pool: Pool, { turnAt, dueAt, id }: Position): Promise<Position | undefined> {
  return inTransaction(pool, async (session) => {
    const { rows } = await session.query<WaitingChange>(READ_WAITING, [UNPLANNED_KINDS, turnAt, dueAt, id]);
    const late = rows.filter(({ isTooLate }) => isTooLate);
    const values = [late.map((change) => change.id), late.map(({ correct }) => correct)];
    if (late.length > 0) await session.query(CORRECT, values);
    return rows.length < BATCH_SIZE ? undefined : rows.at(-1);
  });
}
