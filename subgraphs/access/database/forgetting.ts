import type { Logger } from 'pino';
import type { Database } from '../../server/database';
import { repeat } from '../../server/repeat';

/**
 * What is kept for a time only: who looked for 13 months (2-decisions-a-b.md, section 10) and while the record has a meter point,
 * aliases for their hour, and redeemed tokens until a day after they could have been redeemed again.
 */
const FORGET = [
  `delete from look where hour < register_now() - interval '13 months'`,
  `delete from look using access_record where access_record.id = record_id and meter_point_id is null`,
  `delete from portal_alias where expires_at <= register_now()`,
  `delete from consumed_token where expires_at <= register_now() - interval '1 day'`,
];
const FORGET_EVERY_SECONDS = 3_600;

/** Forgets what has passed, now and then; any number of replicas may do so at once. Answers how to stop. */
export function forgetWhatHasPassed({ pool }: Database, logger: Logger): () => Promise<void> {
  const forget = async () => {
    for (const statement of FORGET) await pool.query(statement);
  };
  return repeat(FORGET_EVERY_SECONDS, forget, logger);
}
