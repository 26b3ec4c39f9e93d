import type { SubgraphTables } from '../../server/migrate';
import { IdentityRecords1790000000001 } from './migrations/0001-identity-records';
import { identityRights } from './rights';

/** The tables of `identity`: its migrations in order, and the rights of its login. */
export const identityTables: SubgraphTables = {
  migrations: [IdentityRecords1790000000001],
  rights: identityRights,
};
