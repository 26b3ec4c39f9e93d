import {
  AccountStandings,
  type AccountStandingsQuery,
  LiveSupplierKeys,
} from '../../schema/generated/service-queries-to-access';
import { ActiveSuppliers } from '../../schema/generated/service-queries-to-tariffs';
import { ofThisService, querySubgraph } from '../../subgraphs/server/graph/service-query';
import type { SubgraphLink } from '../../subgraphs/server/graph/subgraph-link';

/** Current state of an account in `access`, with the register's clock. */
export type AccountState = AccountStandingsQuery['accountStandings'][number];

/** Accounts of `access`, read as the service `gateway`, without a caller. */
export interface AccountQueries {
  /** Omits accounts that do not exist. */
  states(accountIds: readonly string[]): Promise<readonly AccountState[]>;
  /** Returns the ids of the given API keys that are still current. */
  liveSupplierKeys(keyIds: readonly string[]): Promise<readonly string[]>;
}

/** Suppliers of `tariffs`, read as the service `gateway`, without a caller. */
export interface SupplierQueries {
  /** Returns the given suppliers that are active in the register now. */
  active(mpids: readonly string[]): Promise<readonly string[]>;
}

/** Reads accounts from `access`. */
export function accountQueries(access: SubgraphLink): AccountQueries {
  return {
    async states(accountIds) {
      return (await querySubgraph(access, 'gateway', AccountStandings, { accountIds }, ofThisService()))
        .accountStandings;
    },
    async liveSupplierKeys(keyIds) {
      return (await querySubgraph(access, 'gateway', LiveSupplierKeys, { keyIds }, ofThisService())).liveSupplierKeys;
    },
  };
}

/** Reads suppliers from `tariffs`; without this subgraph no supplier is active. */
export function supplierQueries(tariffs: SubgraphLink | undefined): SupplierQueries {
  return {
    async active(mpids) {
      if (!tariffs) return [];
      return (await querySubgraph(tariffs, 'gateway', ActiveSuppliers, { mpids }, ofThisService())).activeSuppliers;
    },
  };
}
