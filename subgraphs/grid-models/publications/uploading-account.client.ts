import { UploadingAccounts } from '../../../schema/generated/service-queries-to-access';
import { ofThisService, querySubgraph } from '../../server/graph/service-query';
import type { SubgraphLink } from '../../server/graph/subgraph-link';

/** Accounts of admins who upload archives, read from `access` at every call. */
export interface UploadingAccountQueries {
  /** Returns the series of the valid bearer tokens, null before their first revocation; undefined if the account is not active. */
  tokenSeries(accountId: string): Promise<string | null | undefined>;
}

/** Reads accounts from `access`. */
export function uploadingAccounts(access: SubgraphLink): UploadingAccountQueries {
  return {
    async tokenSeries(accountId) {
      const accounts = { accountIds: [accountId] };
      const result = await querySubgraph(access, 'grid-models', UploadingAccounts, accounts, ofThisService());
      const [account] = result.accountStandings;
      return account?.active ? account.tokenSeries : undefined;
    },
  };
}
