import { decryptValue } from '../../server/encryption';
import { inTransaction } from '../../server/database/transaction';
import type { IdentityDependencies } from '../dependencies';
import { boundTo as boundToChange } from '../operator/change-of-tenancy.repository';
import {
  type Discovery,
  boundTo as boundToDiscovery,
  storeDiscoveries,
} from '../operator/discovered-meter-point.repository';
import { latestChange } from './identity-occupancies.queries';

/** Rows of one transaction, which must end well within the statement timeout. */
const AT_ONCE = 200;

type Reencryption = Pick<IdentityDependencies, 'database' | 'indexes' | 'keys' | 'occupancyKeys'>;

const CHANGES = `
  select id, mpxn_index as "premises", sealed, ${latestChange('unsettled.mpxn_index', '< unsettled.effective_date')} as began
  from change_of_tenancy unsettled where key_id is null and sealed is not null order by id limit ${AT_ONCE} for update skip locked`;

const REENCRYPT_CHANGES = `
  update change_of_tenancy change set sealed = settled.sealed, key_id = settled.key_id
  from unnest($1::uuid[], $2::bytea[], $3::uuid[]) settled (id, sealed, key_id)
  where change.id = settled.id and change.key_id is null`;

const DISCOVERIES = `
  delete from discovered_meter_point where id = any (array(
    select id from discovered_meter_point where key_id is null order by id limit ${AT_ONCE} for update skip locked))
  returning meter_point_id as "meterPointId", sealed, recorded_at::text as "recordedAt"`;

/**
 * Re-encrypts MPxNs under the keys of their occupancies. The previous release, or a restored backup of it, encrypted them directly under
 * the encryption key. Each transaction converts some rows completely; replicas may run it concurrently.
 */
export async function reencryptIdentityMpxns(dependencies: Reencryption): Promise<void> {
  for (const reencryptSome of [reencryptChanges, reencryptDiscoveries]) while ((await reencryptSome(dependencies)) > 0);
}

function reencryptChanges({ database, keys, occupancyKeys }: Reencryption): Promise<number> {
  return inTransaction(database.pool, async (session) => {
    type Row = { readonly id: string; readonly premises: Buffer; readonly sealed: Buffer; readonly began: string };
    const { rows } = await session.query<Row>(CHANGES);
    if (rows.length === 0) return 0;
    const obtained = await occupancyKeys.obtain(session, rows);
    const sealed = obtained.map((key, index) => {
      const row = rows[index] as Row;
      return key.encryptValue(
        decryptValue(keys.encryptionKey, row.sealed, boundToChange(row.id)).toString('utf8'),
        boundToChange(row.id),
      );
    });
    await session.query(REENCRYPT_CHANGES, [rows.map(({ id }) => id), sealed, obtained.map(({ id }) => id)]);
    return rows.length;
  });
}

function reencryptDiscoveries(dependencies: Reencryption): Promise<number> {
  const { database, keys } = dependencies;
  return inTransaction(database.pool, async (session) => {
    type Row = { readonly meterPointId: string; readonly sealed: Buffer; readonly recordedAt: string };
    const { rows } = await session.query<Row>(DISCOVERIES);
    if (rows.length === 0) return 0;
    const discoveries = rows.map(({ meterPointId, sealed, recordedAt }): Discovery => {
      const mpxn = decryptValue(keys.encryptionKey, sealed, boundToDiscovery(meterPointId)).toString('utf8');
      return { mpxn, recordedAt };
    });
    await storeDiscoveries(session, dependencies, discoveries);
    return rows.length;
  });
}
