import type { Logger } from 'pino';
import type { Database } from '../server/database/database';
import { expiredRows, matchingRows, purgePeriodically, rowsAhead } from '../server/retention';
import { shortenedOverlaps } from './accounts/account-secret.repository';
import { ALIAS_LIFETIME } from './customers/portal-access.repository';
import { lateLinks } from './identity-links/unlinking.repository';

/**
 * Rows that are deleted after a time: lookup counts after 13 months, and within the hour if they were added while their Identity Record was
 * being closed, as are links to its records; portal aliases at their expiry, one hour after they were issued; redeemed tokens one day after
 * `identity` deletes their re-identification, so that a clock that moves back does not make a token valid again. Aliases that were issued
 * while the clock was ahead are deleted, too, and secrets that were replaced then are valid for 24 more hours.
 */
const expired = (pool: Database['pool']) => [
  expiredRows(pool, { table: 'look', column: 'hour', through: `register_now() - interval '13 months'` }),
  matchingRows(
    pool,
    'look',
    'record_id',
    `look join access_record on access_record.id = look.record_id and meter_point_id is null
      join closed_identity_link using (identity_record_id) where closed_at > register_now() - interval '1 day'`,
  ),
  ...lateLinks(pool),
  expiredRows(pool, { table: 'portal_alias', column: 'expires_at', through: 'register_now()' }),
  rowsAhead(pool, { table: 'portal_alias', column: 'expires_at', lifetime: ALIAS_LIFETIME }),
  shortenedOverlaps(pool),
  expiredRows(pool, { table: 'consumed_token', column: 'expires_at', through: `register_now() - interval '31 days'` }),
];
const PURGE_EVERY_SECONDS = 3_600;

/** Deletes expired rows every hour; returns a function that stops it. */
export function purgeExpired({ pool }: Pick<Database, 'pool'>, logger: Logger): () => Promise<void> {
  return purgePeriodically(pool, expired(pool), PURGE_EVERY_SECONDS, logger);
}
