import type { Database } from '../../server/database/database';
import type { PersonalDataCipher } from './personal-data-cipher';

const AT_ONCE = 500;

const WITHOUT_VERIFICATION = `
  select r.id, r.sealed, k.wrapped as "wrappedKey" from identity_record r join identity_keys.data_key k on k.record_id = r.id
  where r.is_verified is null and r.anonymised_at is null order by r.created_at limit ${AT_ONCE}`;

const BACKFILL = `
  update identity_record r set is_verified = known.is_verified
  from unnest($1::uuid[], $2::boolean[]) as known (id, is_verified)
  where r.id = known.id and r.is_verified is null and r.anonymised_at is null`;

/**
 * Stores whether records are verified that the previous release wrote without this column, by decrypting them. Until then selections treat
 * them as verified and decrypt them.
 */
export async function backfillVerified(database: Pick<Database, 'pool'>, cipher: PersonalDataCipher): Promise<void> {
  type Row = { readonly id: string; readonly sealed: Buffer; readonly wrappedKey: Buffer };
  for (;;) {
    const { rows } = await database.pool.query<Row>(WITHOUT_VERIFICATION);
    const verified = rows.map(({ id, ...row }) => cipher.open(id, row).principalVerification?.outcome === 'verified');
    const updated = await database.pool.query(BACKFILL, [rows.map(({ id }) => id), verified]);
    if (rows.length < AT_ONCE || updated.rowCount === 0) return;
  }
}
