import type { Database } from '../../server/database/database';
import type { Session } from '../../server/database/transaction';
import { terminationBeforeNow } from '../records/record-state.sql';
import { stateChange } from '../records/transitions';

/** Records that one transaction revokes at most, which bounds how long other transactions wait. */
export const MAX_REVOCATIONS = 500;

/**
 * Skips records that another transaction has locked; the next batch revokes them. Reads the active records of each terminated Data User by
 * index: PostgreSQL would scan all records if many Data Users are terminated, because it does not know that few of theirs are active.
 */
const REVOKE = {
  name: 'revoke_of_terminated',
  text: `with due as (
      select record.id, record.state, terminated_at from (
        select duid, ${terminationBeforeNow('account.terminated_at')} as terminated_at from account where account.terminated_at is not null) account
      cross join lateral (
        select id, state from access_record
        where duid = account.duid and state = 'ACTIVE' and terminated_at < coalesce(expiry, 'infinity')
        order by created_at, id limit ${MAX_REVOCATIONS} for no key update skip locked) record
      limit ${MAX_REVOCATIONS}),
    ${stateChange({ cause: 'data-user-terminated', where: 'access_record.id = due.id', locked: 'due', revokedAt: 'due.terminated_at' })}
    select from record`,
};

/** Revokes up to {@link MAX_REVOCATIONS} records of terminated Data Users; returns how many. */
export async function revokeSomeOfTerminated(session: Session): Promise<number> {
  return (await session.query(REVOKE)).rowCount ?? 0;
}

/** Progress of storing the revocation of a terminated Data User's records. All of them read REVOKED from the termination on. */
export interface TerminationProgress {
  readonly at: Date;
  /** Without those that were revoked after a clock was set back, because the termination was recorded while it was ahead. */
  readonly recordsRevoked: number;
  readonly recordsRemaining: number;
}

const PROGRESS = {
  name: 'termination_progress',
  text: `select terminated_at as at,
      (select count(*) from access_record where duid = $1 and state = 'REVOKED' and revoked_at = terminated_at)::int as "recordsRevoked",
      (select count(*) from access_record where duid = $1 and state = 'ACTIVE'
        and ${terminationBeforeNow('terminated_at')} < coalesce(expiry, 'infinity'))::int as "recordsRemaining"
    from account where duid = $1 and terminated_at is not null`,
};

/** Progress of terminations, for the back office. */
export class TerminationRepository {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** Returns the progress of a Data User's termination; null if it was not terminated. */
  async progress(duid: string): Promise<TerminationProgress | null> {
    const { rows } = await this.database.pool.query<TerminationProgress>({ ...PROGRESS, values: [duid] });
    return rows[0] ?? null;
  }
}
