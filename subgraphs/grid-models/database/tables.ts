import type { SubgraphTables } from '../../server/migrate';
import { Publications1790000000001 } from './migrations/0001-publications';
import { gridModelRights } from './rights';

/** The tables of `grid-models`: its migrations in order, and the rights of its login. */
export const gridModelTables: SubgraphTables = {
  migrations: [Publications1790000000001],
  rights: gridModelRights,
};
