import { type Pool } from 'pg';
import { RegisterError, refuse } from '../../../schema/register-error';
import { type Session, inTransaction } from '../../server/transaction';
import { type TariffStep } from '../domain/applied-tariff';
import { type StepOutcome, assignmentOutcome, endOutcome } from '../domain/assignment-rules';
import type { RegisterEntryStatus } from '../domain/register-entry-status';
import type { MpxnVault } from './mpxn-vault';
import { lockMpxn } from './mpxn-lock';
import { STEP_COLUMNS, type StoredStep } from './tariff-steps';

/** Who assigns: `mpid` is that of a supplier, null for an admin. */
export interface Assigner {
  readonly accountId: string;
  readonly mpid: string | null;
}

type StepRow = Omit<StoredStep, 'mpxn'>;

const TARIFF = `select t.mpid, t.valid_to as "validTo", s.status from tariff t join supplier s using (mpid) where tariff_id = $1
  for share of s`;

interface AssignedTariff {
  readonly mpid: string;
  readonly validTo: Date | null;
  readonly status: RegisterEntryStatus;
}

/** Of the steps in force the one before an instant, or at it: those before it have no say in what becomes of a step there. */
const THERE = `select ${STEP_COLUMNS}, register_now() as now from tariff_step
  where mpxn_hash = $1 and withdrawn_at is null and valid_from <= $2 order by valid_from desc limit 1`;

/** A tariff of another supplier that began after an instant, and has begun: enough to know that there is one. */
const OTHERS_SINCE = `select ${STEP_COLUMNS} from tariff_step
  where mpxn_hash = $1 and withdrawn_at is null and valid_from > $2 and valid_from <= $3 and tariff_id is not null and mpid <> $4 limit 1`;

const NOW = 'select register_now() as now';

const WITHDRAW = 'update tariff_step set withdrawn_at = register_now() where id = $1';

const METER_POINT = 'insert into meter_point (mpxn_hash, mpxn_sealed) values ($1, $2) on conflict do nothing';

const INSERT = `insert into tariff_step (mpxn_hash, valid_from, tariff_id, mpid, account_id) values ($1, $2, $3, $4, $5)
  returning ${STEP_COLUMNS}`;

/** Which tariff applies to an MPxN over time: steps, recorded one after another for each MPxN. */
export class AssignmentRepository {
  constructor(
    private readonly pool: Pool,
    private readonly mpxns: MpxnVault,
  ) {}

  /**
   * Records from when a tariff applies. NTF003 without a tariff, PRM002 when it is another supplier's; else by
   * {@link assignmentOutcome}. What is recorded already is answered as it is.
   */
  assign(mpxn: string, tariffId: string, validFrom: Date, assigner: Assigner): Promise<StoredStep> {
    return this.alone(mpxn, async (session, hash) => {
      const { rows } = await session.query<AssignedTariff>(TARIFF, [tariffId]);
      const [tariff] = rows;
      if (tariff === undefined) throw new RegisterError('NTF003');
      if (assigner.mpid !== null && assigner.mpid !== tariff.mpid)
        throw new RegisterError('PRM002', 'The tariff is that of another supplier');
      if (tariff.status === 'removed') throw new RegisterError('CNF001', 'The supplier was removed');
      const { there, now } = await stepThere(session, hash, validFrom);
      const step = { validFrom, tariffId, mpid: tariff.mpid };
      const values = [hash, validFrom, now, tariff.mpid];
      const { rows: since } = await session.query<StepRow>(OTHERS_SINCE, values);
      const assigning = { byAdmin: assigner.mpid === null, now };
      const outcome = assignmentOutcome([...listOf(there), ...since], step, tariff, assigning);
      return this.recorded(session, { mpxn, step, there, assigner }, outcome);
    });
  }

  /** Records that no tariff applies from an instant on, by {@link endOutcome}. */
  end(mpxn: string, at: Date, assigner: Assigner): Promise<StoredStep> {
    return this.alone(mpxn, async (session, hash) => {
      const { there, now } = await stepThere(session, hash, at);
      const outcome = endOutcome(listOf(there), at, assigner.mpid, now);
      const step = { validFrom: at, tariffId: null, mpid: outcome.mpid ?? '' };
      return this.recorded(session, { mpxn, step, there, assigner }, outcome);
    });
  }

  private alone<Result>(mpxn: string, work: (session: Session, hash: Buffer) => Promise<Result>): Promise<Result> {
    const hash = this.mpxns.hash(mpxn);
    return inTransaction(this.pool, async (session) => {
      await lockMpxn(session, hash);
      return work(session, hash);
    });
  }

  private async recorded(
    session: Session,
    { mpxn, step, there, assigner }: RecordedStep,
    outcome: StepOutcome,
  ): Promise<StoredStep> {
    if (outcome.kind === 'refused') refuse(outcome.violations);
    if (outcome.kind === 'unchanged' && there !== undefined) return { ...there, mpxn };
    if (outcome.kind === 'supersedes') await session.query(WITHDRAW, [there?.id]);
    const { hash, sealed } = this.mpxns.seal(mpxn);
    await session.query(METER_POINT, [hash, sealed]);
    const values = [hash, step.validFrom, step.tariffId, step.mpid, assigner.accountId];
    return { ...((await session.query<StepRow>(INSERT, values)).rows[0] as StepRow), mpxn };
  }
}

interface RecordedStep {
  readonly mpxn: string;
  readonly step: TariffStep;
  readonly there: StepRow | undefined;
  readonly assigner: Assigner;
}

async function stepThere(session: Session, hash: Buffer, at: Date): Promise<{ there?: StepRow; now: Date }> {
  const [there] = (await session.query<StepRow & { now: Date }>(THERE, [hash, at])).rows;
  if (there) return { there, now: there.now };
  return { now: (await session.query<{ now: Date }>(NOW)).rows[0]?.now as Date };
}

const listOf = (step: StepRow | undefined): StepRow[] => (step ? [step] : []);
