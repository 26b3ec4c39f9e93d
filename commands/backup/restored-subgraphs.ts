import { KEY_VARIABLES, type Keys, SUBGRAPHS, completeKeys, subgraphKeys } from '../../process/settings/keys';
import { namedAccessKeys } from '../../subgraphs/access/access.module';
import { accessTables } from '../../subgraphs/access/tables.sql';
import { gridModelTables } from '../../subgraphs/grid-models/tables.sql';
import { namedGridModelsKeys } from '../../subgraphs/grid-models/grid-models.module';
import { identityTables } from '../../subgraphs/identity/tables.sql';
import { namedIdentityKeys } from '../../subgraphs/identity/identity.module';
import { tariffTables } from '../../subgraphs/tariffs/tables.sql';
import { namedTariffKeys } from '../../subgraphs/tariffs/tariffs.module';
import type { RestoredSubgraph } from './restore';

const NEEDED = (Object.keys(KEY_VARIABLES) as (keyof Keys)[]).filter((key) => {
  const { services } = KEY_VARIABLES[key];
  return services.length === 1 && SUBGRAPHS.some((subgraph) => services.includes(subgraph));
});

/**
 * Returns the subgraphs to restore, in the order in which they start, without logins: the migration job creates those.
 * Throws if one of their keys is missing.
 */
export function restoredSubgraphs(given: Partial<Keys>, url: string): RestoredSubgraph[] {
  const keys = completeKeys(given, NEEDED);
  return [
    {
      address: { url, schema: 'identity' },
      tables: identityTables,
      keys: namedIdentityKeys(subgraphKeys(keys, 'identity')),
    },
    {
      address: { url, schema: 'access' },
      tables: accessTables,
      keys: namedAccessKeys({ hashKey: keys.accessHashKey, encryptionKey: keys.accessEncryptionKey }),
    },
    {
      address: { url, schema: 'grid_models' },
      tables: gridModelTables,
      keys: namedGridModelsKeys(keys.gridModelsKey),
    },
    {
      address: { url, schema: 'tariffs' },
      tables: tariffTables,
      keys: namedTariffKeys(subgraphKeys(keys, 'tariffs')),
    },
  ];
}
