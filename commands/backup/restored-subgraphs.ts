import { KEY_VARIABLES, type Keys, SUBGRAPHS, subgraphKeys } from '../../process/settings/keys';
import { completeKeys } from '../../sandbox/keys';
import { accessAddress, namedAccessKeys } from '../../subgraphs/access/access.module';
import { accessTables } from '../../subgraphs/access/tables.sql';
import { gridModelTables } from '../../subgraphs/grid-models/tables.sql';
import { gridModelsAddress, namedGridModelsKeys } from '../../subgraphs/grid-models/grid-models.module';
import { identityTables } from '../../subgraphs/identity/tables.sql';
import { identityAddress, namedIdentityKeys } from '../../subgraphs/identity/identity.module';
import { tariffTables } from '../../subgraphs/tariffs/tables.sql';
import { namedTariffKeys, tariffsAddress } from '../../subgraphs/tariffs/tariffs.module';
import type { RestoredSubgraph } from './restore';

const NEEDED = (Object.keys(KEY_VARIABLES) as (keyof Keys)[]).filter((key) => {
  const { services } = KEY_VARIABLES[key];
  return services.length === 1 && SUBGRAPHS.some((subgraph) => services.includes(subgraph));
});

/** Returns the subgraphs to restore, in the order in which they start. Throws if one of their keys is missing. */
export function restoredSubgraphs(given: Partial<Keys>, databaseUrl: string): RestoredSubgraph[] {
  const keys = completeKeys(given, NEEDED);
  const ofIdentity = subgraphKeys(keys, 'identity');
  const ofAccess = { hashKey: keys.accessHashKey, encryptionKey: keys.accessEncryptionKey };
  const ofTariffs = subgraphKeys(keys, 'tariffs');
  const gridModels = gridModelsAddress(databaseUrl, keys.gridModelsKey);
  return [
    { address: identityAddress(databaseUrl, ofIdentity), tables: identityTables, keys: namedIdentityKeys(ofIdentity) },
    { address: accessAddress(databaseUrl, ofAccess), tables: accessTables, keys: namedAccessKeys(ofAccess) },
    { address: gridModels, tables: gridModelTables, keys: namedGridModelsKeys(keys.gridModelsKey) },
    { address: tariffsAddress(databaseUrl, ofTariffs), tables: tariffTables, keys: namedTariffKeys(ofTariffs) },
  ];
}
