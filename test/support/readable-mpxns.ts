import type { Client } from 'pg';
import { decryptValue } from '../../subgraphs/server/encryption';
import type { IdentityKeys } from '../../subgraphs/identity/keys';

/** A place where `identity` stores an MPxN of the communications operator's reports. */
export interface ReadableMpxn {
  readonly table: 'change' | 'discovery';
  readonly mpxn: string;
  /** Whether the encryption key alone decrypts it, as before migration 0009. */
  readonly direct: boolean;
}

const PLACES = `
  select 'change' as "table", 'change_of_tenancy ' || id as bound, sealed from identity.change_of_tenancy where sealed is not null
  union all
  select 'discovery', 'discovered_meter_point ' || meter_point_id, sealed from identity.discovered_meter_point`;

interface Place {
  readonly table: ReadableMpxn['table'];
  readonly bound: string;
  readonly sealed: Buffer;
}

/** Returns the operator's MPxNs that can be decrypted with every existing key, whatever key the rows name. */
export async function readableMpxns(owner: Client, { encryptionKey }: IdentityKeys): Promise<ReadableMpxn[]> {
  const { rows: wrapped } = await owner.query<{ id: string; wrapped: Buffer }>(
    'select id, wrapped from identity_keys.occupancy_key',
  );
  const keys = wrapped.map((key) => decryptValue(encryptionKey, key.wrapped, `occupancy_key ${key.id}`));
  const { rows } = await owner.query<Place>(PLACES);
  return rows.flatMap(({ table, bound, sealed }) => {
    const opening = [encryptionKey, ...keys].find((key) => opened(key, sealed, bound) !== undefined);
    if (opening === undefined) return [];
    const plain = opened(opening, sealed, bound) as string;
    const mpxn = table === 'change' ? (JSON.parse(plain) as { mpxn: string }).mpxn : plain;
    return [{ table, mpxn, direct: opening === encryptionKey }];
  });
}

function opened(key: Buffer, sealed: Buffer, bound: string): string | undefined {
  try {
    return decryptValue(key, sealed, bound).toString('utf8');
  } catch {
    return undefined;
  }
}
