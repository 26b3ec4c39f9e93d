import type { SubgraphTables } from '../../server/migrate';
import { Accounts1790000000001 } from './migrations/0001-accounts';
import { AccessRecords1790000000002 } from './migrations/0002-access-records';
import { accessRights } from './rights';

/** The tables of `access`: its migrations in order, and the rights of its login. */
export const accessTables: SubgraphTables = {
  migrations: [Accounts1790000000001, AccessRecords1790000000002],
  rights: accessRights,
};
