import type { Database } from '../../server/database';
import type { Session } from '../../server/transaction';
import { NEXT_NUMBER } from './access-record.repository';

/** Records that one transaction revokes at most, so that no request waits for it long. */
export const REVOCATIONS_AT_ONCE = 500;

/** A record that another transaction changes at this instant is left to the next batch. */
const REVOKE = {
  name: 'revoke_of_terminated',
  text: `with due as (
      select record.id, terminated_at from account join access_record record on record.duid = account.duid
      where terminated_at is not null and record.state = 'ACTIVE' and terminated_at < coalesce(record.expiry, 'infinity')
      limit ${REVOCATIONS_AT_ONCE} for no key update of record skip locked),
    record as (
      update access_record set state = 'REVOKED', revoked_at = due.terminated_at from due where access_record.id = due.id
      returning access_record.id),
    transition as (
      insert into access_record_transition (record_id, number, from_state, to_state, cause)
      select id, ${NEXT_NUMBER}, 'ACTIVE', 'REVOKED', 'data-user-terminated' from record)
    select from record`,
};

/** Revokes up to {@link REVOCATIONS_AT_ONCE} records of terminated Data Users; returns how many. */
export async function revokeSomeOfTerminated(session: Session): Promise<number> {
  return (await session.query(REVOKE)).rowCount ?? 0;
}

/** How far the records of a terminated Data User are written down as revoked; all of them read so from the start. */
export interface TerminationProgress {
  readonly at: Date;
  readonly recordsRevoked: number;
  readonly recordsRemaining: number;
}

const PROGRESS = {
  name: 'termination_progress',
  text: `select terminated_at as at,
      (select count(*) from access_record where duid = $1 and state = 'REVOKED' and revoked_at = terminated_at)::int as "recordsRevoked",
      (select count(*) from access_record where duid = $1 and state = 'ACTIVE'
        and terminated_at < coalesce(expiry, 'infinity'))::int as "recordsRemaining"
    from account where duid = $1 and terminated_at is not null`,
};

/** What the back office reads of terminations. */
export class TerminationRepository {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** The progress of a Data User's termination; null when it was not terminated. */
  async progress(duid: string): Promise<TerminationProgress | null> {
    const { rows } = await this.database.pool.query<TerminationProgress>({ ...PROGRESS, values: [duid] });
    return rows[0] ?? null;
  }
}
