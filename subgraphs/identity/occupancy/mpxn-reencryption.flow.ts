import { LOWEST_UUID } from '../../../schema/identifiers';
import { decryptValue } from '../../server/encryption';
import { inTransaction } from '../../server/database/transaction';
import type { IdentityDependencies } from '../dependencies';
import { boundTo as boundToChange } from '../operator/change-of-tenancy.repository';
import {
  type Discovery,
  boundTo as boundToDiscovery,
  storeDiscoveries,
} from '../operator/discovered-meter-point.repository';
import { DamagedRows } from '../../server/damaged-rows';
import { latestChange } from './identity-occupancies.queries';

/** Rows of one transaction, which must end well within the statement timeout. */
const AT_ONCE = 200;

type Reencryption = Pick<IdentityDependencies, 'database' | 'indexes' | 'keys' | 'occupancyKeys' | 'logger'>;

const CHANGES = `
  select id, mpxn_index as "premises", sealed, ${latestChange('unsettled.mpxn_index', '< unsettled.effective_date')} as began
  from change_of_tenancy unsettled where key_id is null and sealed is not null and id > $1
  order by id limit ${AT_ONCE} for update skip locked`;

const REENCRYPT_CHANGES = `
  update change_of_tenancy change set sealed = settled.sealed, key_id = settled.key_id
  from unnest($1::uuid[], $2::bytea[], $3::uuid[]) settled (id, sealed, key_id)
  where change.id = settled.id and change.key_id is null`;

const DISCOVERIES = `
  select id, meter_point_id as "meterPointId", sealed, recorded_at::text as "recordedAt" from discovered_meter_point
  where key_id is null and id > $1 order by id limit ${AT_ONCE} for update skip locked`;

const DELETE_DISCOVERIES = 'delete from discovered_meter_point where id = any ($1)';

/** Re-encrypts rows after an id in one transaction; returns the id of the last row that it has read, undefined without one. */
type Step = (dependencies: Reencryption, damaged: DamagedRows, after: string) => Promise<string | undefined>;

/**
 * Re-encrypts MPxNs under the keys of their occupancies. The previous release, or a restored backup of it, encrypted them directly under
 * the encryption key. Each transaction converts some rows completely; replicas may run it concurrently. Rows that cannot be decrypted remain
 * as they are.
 */
export async function reencryptIdentityMpxns(dependencies: Reencryption): Promise<void> {
  for (const [reencryptSome, message] of STEPS) {
    const damaged = new DamagedRows(dependencies.logger);
    let last: string | undefined = LOWEST_UUID;
    while (last !== undefined) last = await reencryptSome(dependencies, damaged, last);
    damaged.report(message);
  }
}

const reencryptChanges: Step = ({ database, keys, occupancyKeys }, damaged, after) =>
  inTransaction(database.pool, async (session) => {
    type Row = { readonly id: string; readonly premises: Buffer; readonly sealed: Buffer; readonly began: string };
    const { rows } = await session.query<Row>(CHANGES, [after]);
    const readable = damaged.readable(rows, ({ id, sealed }) =>
      decryptValue(keys.encryptionKey, sealed, boundToChange(id)).toString('utf8'),
    );
    if (readable.length === 0) return rows.at(-1)?.id;
    const obtained = await occupancyKeys.obtain(
      session,
      readable.map(({ row }) => row),
    );
    const ids = readable.map(({ row }) => row.id);
    const sealed = obtained.map((key, index) =>
      key.encryptValue(readable[index]?.content as string, boundToChange(ids[index] as string)),
    );
    await session.query(REENCRYPT_CHANGES, [ids, sealed, obtained.map(({ id }) => id)]);
    return rows.at(-1)?.id;
  });

const reencryptDiscoveries: Step = (dependencies, damaged, after) => {
  const { database, keys } = dependencies;
  return inTransaction(database.pool, async (session) => {
    type Row = {
      readonly id: string;
      readonly meterPointId: string;
      readonly sealed: Buffer;
      readonly recordedAt: string;
    };
    const { rows } = await session.query<Row>(DISCOVERIES, [after]);
    const readable = damaged.readable(rows, ({ meterPointId, sealed, recordedAt }): Discovery => {
      const mpxn = decryptValue(keys.encryptionKey, sealed, boundToDiscovery(meterPointId)).toString('utf8');
      return { mpxn, recordedAt };
    });
    if (readable.length === 0) return rows.at(-1)?.id;
    await session.query(DELETE_DISCOVERIES, [readable.map(({ row }) => row.id)]);
    await storeDiscoveries(
      session,
      dependencies,
      readable.map(({ content }) => content),
    );
    return rows.at(-1)?.id;
  });
};

const STEPS: readonly (readonly [Step, string])[] = [
  [reencryptChanges, 'changes of tenancy cannot be decrypted: they keep their former encryption'],
  [reencryptDiscoveries, 'discovered meter points cannot be decrypted: they keep their former encryption'],
];
