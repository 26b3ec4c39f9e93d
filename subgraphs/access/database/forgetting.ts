import type { Logger } from 'pino';
import type { Database } from '../../server/database';
import { forgetPassed, passedRows } from '../../server/retention';

/**
 * What is kept for a time only: who looked for 13 months (2-decisions-a-b.md, section 10) and until its Identity Record is closed (what
 * was counted beside a closing is gone within the hour), aliases for their hour, and redeemed tokens for a day longer than `identity`
 * keeps re-identifications: a clock that jumps back brings no token to life again.
 */
const passed = (pool: Database['pool']) => [
  passedRows(pool, 'look', `look where hour < register_now() - interval '13 months'`),
  passedRows(
    pool,
    'look',
    `look join access_record on access_record.id = look.record_id and meter_point_id is null
      join closed_identity_link using (identity_record_id) where closed_at > register_now() - interval '1 day'`,
  ),
  passedRows(pool, 'portal_alias', 'portal_alias where expires_at <= register_now()'),
  passedRows(pool, 'consumed_token', `consumed_token where expires_at <= register_now() - interval '31 days'`),
];
const FORGET_EVERY_SECONDS = 3_600;

/** Forgets what has passed, now and then; answers how to stop. */
export function forgetWhatHasPassed({ pool }: Pick<Database, 'pool'>, logger: Logger): () => Promise<void> {
  return forgetPassed(passed(pool), FORGET_EVERY_SECONDS, logger);
}
