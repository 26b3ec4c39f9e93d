import type { Logger } from 'pino';
import type { Database } from '../../server/database';
import { failureFacts } from '../../server/failures';
import { repeat } from '../../server/repeat';

const AT_ONCE = 10_000;

/** Deletes so many rows; what somebody else changes or deletes at this instant is left to them, or to the next run. */
const batch = (table: string, rows: string): string => `
  delete from ${table} where ctid = any (array(select ${table}.ctid from ${rows} limit ${AT_ONCE}))`;

/**
 * What is kept for a time only: who looked for 13 months (2-decisions-a-b.md, section 10) and until its Identity Record is closed (what
 * was counted beside a closing is gone within the hour), aliases for their hour, and redeemed tokens for a day longer than `identity`
 * keeps re-identifications: a clock that jumps back brings no token to life again.
 */
const FORGET = [
  batch('look', `look where hour < register_now() - interval '13 months'`),
  batch(
    'look',
    `look join access_record on access_record.id = look.record_id and meter_point_id is null
      join closed_identity_link using (identity_record_id) where closed_at > register_now() - interval '1 day'`,
  ),
  batch('portal_alias', 'portal_alias where expires_at <= register_now()'),
  batch('consumed_token', `consumed_token where expires_at <= register_now() - interval '31 days'`),
];
const FORGET_EVERY_SECONDS = 3_600;

/**
 * Forgets what has passed, now and then, each kind by itself; any number of replicas may do so at once. Answers how to stop, which waits
 * for the batch of each kind that is under way.
 */
export function forgetWhatHasPassed({ pool }: Pick<Database, 'pool'>, logger: Logger): () => Promise<void> {
  let stopping = false;
  const forget = async () => {
    for (const statement of FORGET) {
      await forgetAll(pool, statement, () => stopping).catch((error: unknown) =>
        logger.error({ failure: failureFacts(error) }, 'what has passed could not be forgotten yet'),
      );
    }
  };
  const stop = repeat(FORGET_EVERY_SECONDS, forget, logger);
  return () => {
    stopping = true;
    return stop();
  };
}

async function forgetAll(pool: Database['pool'], statement: string, isEnough: () => boolean): Promise<void> {
  let forgotten: number | null;
  do forgotten = (await pool.query(statement)).rowCount;
  while (forgotten === AT_ONCE && !isEnough());
}
