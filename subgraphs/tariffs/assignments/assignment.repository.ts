import { DatabaseError, type Pool } from 'pg';
import { RegisterError, throwViolations } from '../../../schema/register-error';
import { registerTime } from '../../server/database/register-clock';
import { type Session, inTransaction, onlyRow } from '../../server/database/transaction';
import type { MpxnCipher } from '../occupancies/mpxn-cipher.repository';
import { storeMpxns } from '../occupancies/mpxn-storage.repository';
import { correctTimesOf } from '../occupancies/times-ahead.repository';
import type { RegisterEntryStatus } from '../register-entries/register-entry-status';
import type { Assignment } from './assignment-history';
import { auditAssignment } from './assignment-audit.repository';
import { endOutcome } from './assignment-end-rules';
import { type AssignmentOutcome, assignmentOutcome } from './assignment-rules';
import { ASSIGNMENT_COLUMNS, type AssignmentRow, type StoredAssignment } from './assignment.queries';
import { lockMpxn } from './assignments.sql';

/** The account that assigns, and its supplier; `mpid` is null for an admin. */
export interface Assigner {
  readonly accountId: string;
  readonly mpid: string | null;
}

const TARIFF = `select t.mpid, t.valid_to as "validTo", s.status from tariff t join supplier s using (mpid) where tariff_id = $1
  for share of s`;

interface TariffRow {
  readonly mpid: string;
  readonly validTo: Date | null;
  readonly status: RegisterEntryStatus;
}

/**
 * The assignments of an MPxN on which the rules depend: those since the newest one before an instant that was recorded in time, up to the
 * instant, the first one of each supplier that has started since, and the planned ones. One that was recorded late does not decide whether an end before its
 * record counts, so that the former ones are needed, too.
 */
const STATE = `
  select ${ASSIGNMENT_COLUMNS} from tariff_step
  where mpxn_hash = $1 and withdrawn_at is null and valid_from <= $2 and valid_from >= coalesce((
    select valid_from from tariff_step
    where mpxn_hash = $1 and withdrawn_at is null and tariff_id is not null and valid_from < $2 and recorded_at <= valid_from
    order by valid_from desc limit 1), '-infinity')
  union all (
    select distinct on (mpid) ${ASSIGNMENT_COLUMNS} from tariff_step
    where mpxn_hash = $1 and withdrawn_at is null and tariff_id is not null and valid_from > $2 and valid_from <= $3
    order by mpid, valid_from)
  union all
  select ${ASSIGNMENT_COLUMNS} from tariff_step
  where mpxn_hash = $1 and withdrawn_at is null and valid_from > greatest($2, $3)`;

const WITHDRAW = 'update tariff_step set withdrawn_at = register_now() where id = any($1::uuid[])';

/** SQLSTATE of the trigger that rejects the withdrawal of an assignment that has started. */
const RESTRICT_VIOLATION = '23001';

const METER_POINT = 'insert into meter_point (mpxn_hash) values ($1) on conflict do nothing';

const INSERT = `insert into tariff_step (mpxn_hash, valid_from, tariff_id, mpid, account_id) values ($1, $2, $3, $4, $5)
  returning ${ASSIGNMENT_COLUMNS}`;

/** A transaction that holds the lock of an MPxN. */
interface LockedMpxn {
  readonly session: Session;
  readonly mpxn: string;
  readonly hash: Buffer;
}

/** An assignment to record. */
interface NewAssignment extends Assignment {
  readonly accountId: string;
  /** Whether an admin assigns, whom the audit names. */
  readonly byAdmin: boolean;
  /** Steps of the MPxN before the assignment. */
  readonly assignments: readonly AssignmentRow[];
}

/** The tariff to assign. */
interface TariffToAssign {
  readonly tariffId: string;
  readonly validFrom: Date;
  /** As for {@link assignmentOutcome}. */
  readonly withdrawsEnd: boolean;
}

/** Writes the assignments of MPxNs, one transaction at a time for each MPxN. */
export class AssignmentRepository {
  constructor(
    private readonly pool: Pool,
    private readonly mpxns: MpxnCipher,
  ) {}

  /**
   * Assigns a tariff from an instant on. NTF003 if the tariff does not exist, PRM002 if it is another supplier's; otherwise as
   * {@link assignmentOutcome} decides. Returns an equal assignment unchanged.
   */
  assign(
    mpxn: string,
    { tariffId, validFrom, withdrawsEnd }: TariffToAssign,
    { mpid, accountId }: Assigner,
  ): Promise<StoredAssignment> {
    return this.locked(mpxn, async (locked) => {
      const tariff = await assignableTariff(locked.session, tariffId, mpid);
      const { assignments, now } = await stateAt(locked, validFrom);
      const assignment = { validFrom, tariffId, mpid: tariff.mpid };
      const byAdmin = mpid === null;
      const outcome = assignmentOutcome(assignments, assignment, tariff, { byAdmin, now, withdrawsEnd });
      return this.record(locked, { ...assignment, accountId, byAdmin, assignments }, outcome);
    });
  }

  /** Ends the assignment at an instant, as {@link endOutcome} decides. */
  end(mpxn: string, at: Date, { mpid, accountId }: Assigner): Promise<StoredAssignment> {
    return this.locked(mpxn, async (locked) => {
      const { assignments, now } = await stateAt(locked, at);
      const outcome = endOutcome(assignments, at, mpid, now);
      const end = { validFrom: at, tariffId: null, mpid: outcome.mpid ?? '' };
      return this.record(locked, { ...end, accountId, byAdmin: mpid === null, assignments }, outcome);
    });
  }

  private locked<Result>(mpxn: string, work: (locked: LockedMpxn) => Promise<Result>): Promise<Result> {
    const hash = this.mpxns.hash(mpxn);
    return inTransaction(this.pool, async (session) => {
      await lockMpxn(session, hash);
      if (await correctTimesOf(session, [hash])) await storeMpxns(session, this.mpxns, [mpxn]);
      return work({ session, mpxn, hash });
    });
  }

  private async record(
    { session, mpxn, hash }: LockedMpxn,
    { validFrom, tariffId, mpid, accountId, byAdmin, assignments }: NewAssignment,
    outcome: AssignmentOutcome<AssignmentRow>,
  ): Promise<StoredAssignment> {
    if (outcome.kind === 'rejected') throwViolations(outcome.violations);
    if (outcome.kind === 'unchanged') return { ...outcome.existing, mpxn };
    if (outcome.kind === 'supersedes') {
      const superseded = outcome.superseded.map(({ id }) => id);
      await session.query(WITHDRAW, [superseded]).catch(rejectStarted(tariffId === null ? 'at' : 'from'));
    }
    await session.query(METER_POINT, [hash]);
    const values = [hash, validFrom, tariffId, mpid, accountId];
    const stored = onlyRow(await session.query<AssignmentRow>(INSERT, values));
    await storeMpxns(session, this.mpxns, [mpxn]);
    if (byAdmin) await auditAssignment(session, hash, { accountId, assignments, stored, outcome });
    return { ...stored, mpxn };
  }
}

async function stateAt(
  { session, hash }: LockedMpxn,
  at: Date,
): Promise<{ assignments: readonly AssignmentRow[]; now: Date }> {
  const now = await registerTime(session);
  const { rows } = await session.query<AssignmentRow>(STATE, [hash, at, now]);
  return { assignments: rows, now };
}

/** Reads a tariff and locks its supplier in share mode, so that a removal of the supplier waits. */
async function assignableTariff(session: Session, tariffId: string, mpid: string | null): Promise<TariffRow> {
  const [tariff] = (await session.query<TariffRow>(TARIFF, [tariffId])).rows;
  if (tariff === undefined) throw new RegisterError('NTF003');
  if (mpid !== null && mpid !== tariff.mpid)
    throw new RegisterError('PRM002', 'The tariff is that of another supplier');
  if (tariff.status === 'removed') throw new RegisterError('CNF001', 'The supplier was removed');
  return tariff;
}

/** Maps the rejection of an assignment that started during the call to CNF001, as if the call had arrived later. */
const rejectStarted =
  (field: string) =>
  (error: unknown): never => {
    if (error instanceof DatabaseError && error.code === RESTRICT_VIOLATION)
      throwViolations([
        { code: 'CNF001', path: [field], message: 'must not be the start of an assignment that has already started' },
      ]);
    throw error;
  };
