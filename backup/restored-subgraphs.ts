import { KEY_VARIABLES, type Keys, SUBGRAPHS, sealingKeys } from '../process/keys';
import { completeKeys } from '../sandbox/keys';
import { accessAddress, namedAccessKeys } from '../subgraphs/access/access';
import { accessTables } from '../subgraphs/access/database/tables';
import { gridModelTables } from '../subgraphs/grid-models/database/tables';
import { gridModelsAddress, namedGridModelsKeys } from '../subgraphs/grid-models/grid-models';
import { identityTables } from '../subgraphs/identity/database/tables';
import { identityAddress, namedIdentityKeys } from '../subgraphs/identity/identity';
import { tariffTables } from '../subgraphs/tariffs/database/tables';
import { namedTariffKeys, tariffsAddress } from '../subgraphs/tariffs/tariffs';
import type { RestoredSubgraph } from './restore';

const NEEDED = (Object.keys(KEY_VARIABLES) as (keyof Keys)[]).filter((key) => {
  const { services } = KEY_VARIABLES[key];
  return services.length === 1 && SUBGRAPHS.some((subgraph) => services.includes(subgraph));
});

/** The subgraphs as they are restored, in the order in which they start; fails when a key of theirs is missing. */
export function restoredSubgraphs(given: Partial<Keys>, databaseUrl: string): RestoredSubgraph[] {
  const keys = completeKeys(given, NEEDED);
  const ofIdentity = sealingKeys(keys, 'identity');
  const ofAccess = { hashKey: keys.accessHashKey, encryptionKey: keys.accessEncryptionKey };
  const ofTariffs = sealingKeys(keys, 'tariffs');
  const gridModels = gridModelsAddress(databaseUrl, keys.gridModelsKey);
  return [
    { address: identityAddress(databaseUrl, ofIdentity), tables: identityTables, keys: namedIdentityKeys(ofIdentity) },
    { address: accessAddress(databaseUrl, ofAccess), tables: accessTables, keys: namedAccessKeys(ofAccess) },
    { address: gridModels, tables: gridModelTables, keys: namedGridModelsKeys(keys.gridModelsKey) },
    { address: tariffsAddress(databaseUrl, ofTariffs), tables: tariffTables, keys: namedTariffKeys(ofTariffs) },
  ];
}
