import { restoredSubgraphs } from '../../backup/restored-subgraphs';
import type { RestorePlan } from '../../backup/restore';
import type { Environment } from '../../process/environment';
import { readSettings } from '../../process/settings';

/** How the backup in a folder is restored into a database, with the keys that these variables give. */
export function restorePlan(root: string, databaseUrl: string, variables: Environment): RestorePlan {
  const subgraphs = restoredSubgraphs(readSettings(variables).keys, databaseUrl);
  return { databaseUrl, root, production: false, withoutDataKeys: false, subgraphs };
}
