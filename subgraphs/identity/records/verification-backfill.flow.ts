import type { Logger } from 'pino';
import { LOWEST_UUID } from '../../../schema/identifiers';
import type { Database } from '../../server/database/database';
import { DamagedRows } from '../../server/damaged-rows';
import type { PersonalDataCipher } from './personal-data-cipher';

const AT_ONCE = 500;

const WITHOUT_VERIFICATION = `
  select r.id, r.created_at::text as "createdAt", r.sealed, k.wrapped as "wrappedKey"
  from identity_record r join identity_keys.data_key k on k.record_id = r.id
  where r.is_verified is null and r.anonymised_at is null and (r.created_at, r.id) > ($1::timestamptz, $2::uuid)
  order by r.created_at, r.id limit ${AT_ONCE}`;

const BACKFILL = `
  update identity_record r set is_verified = known.is_verified
  from unnest($1::uuid[], $2::boolean[]) as known (id, is_verified)
  where r.id = known.id and r.is_verified is null and r.anonymised_at is null`;

/** Position before the first record. */
const START = { createdAt: '-infinity', id: LOWEST_UUID };

/**
 * Stores whether records are verified that the previous release wrote without this column, by decrypting them. Until then selections treat
 * them as verified and decrypt them. Skips records that cannot be decrypted, and logs their ids.
 */
export async function backfillVerified(
  database: Pick<Database, 'pool'>,
  cipher: PersonalDataCipher,
  logger: Pick<Logger, 'error'>,
): Promise<void> {
  type Row = { readonly id: string; readonly createdAt: string; readonly sealed: Buffer; readonly wrappedKey: Buffer };
  const damaged = new DamagedRows(logger);
  let last: Pick<Row, 'id' | 'createdAt'> | undefined = START;
  while (last) {
    const rows: Row[] = (await database.pool.query<Row>(WITHOUT_VERIFICATION, [last.createdAt, last.id])).rows;
    const readable = damaged.readable(rows, ({ id, ...row }) => cipher.open(id, row).principalVerification);
    const verified = readable.map(({ content }) => content?.outcome === 'verified');
    await database.pool.query(BACKFILL, [readable.map(({ row }) => row.id), verified]);
    last = rows.length < AT_ONCE ? undefined : rows.at(-1);
  }
  damaged.report('identity records cannot be decrypted: whether they are verified is unknown');
}
