import type { RestorePlan } from '../../backup/restore';
import type { Environment } from '../../process/environment';
import { readSettings } from '../../process/settings';
import { accessAddress, namedAccessKeys } from '../../subgraphs/access/access';
import { accessTables } from '../../subgraphs/access/database/tables';
import { gridModelTables } from '../../subgraphs/grid-models/database/tables';
import { gridModelsAddress, namedGridModelsKeys } from '../../subgraphs/grid-models/grid-models';
import { identityTables } from '../../subgraphs/identity/database/tables';
import { identityAddress, namedIdentityKeys } from '../../subgraphs/identity/identity';

/** How the backup in a folder is restored into a database, with the keys that these variables give. */
export function restorePlan(root: string, databaseUrl: string, variables: Environment): RestorePlan {
  const { keys } = readSettings(variables);
  const ofAccess = { hashKey: keys.accessHashKey as Buffer, encryptionKey: keys.accessEncryptionKey as Buffer };
  const ofIdentity = {
    hashKey: keys.identityHashKey as Buffer,
    indexKey: keys.identityIndexKey as Buffer,
    encryptionKey: keys.identityEncryptionKey as Buffer,
  };
  const gridModelsKey = keys.gridModelsKey as Buffer;
  return {
    databaseUrl,
    root,
    production: false,
    withoutDataKeys: false,
    subgraphs: [
      {
        address: identityAddress(databaseUrl, ofIdentity),
        tables: identityTables,
        keys: namedIdentityKeys(ofIdentity),
      },
      { address: accessAddress(databaseUrl, ofAccess), tables: accessTables, keys: namedAccessKeys(ofAccess) },
      {
        address: gridModelsAddress(databaseUrl, gridModelsKey),
        tables: gridModelTables,
        keys: namedGridModelsKeys(gridModelsKey),
      },
    ],
  };
}
