import { ACCOUNT_ID_PATTERN, DUID_PATTERN, MPID_PATTERN } from '../../../schema/identifiers';
import type { PageContext } from '../page';

/** Identifiers of accounts: the audit also contains those of other objects, and words such as `register`. */
const IDS = [ACCOUNT_ID_PATTERN, DUID_PATTERN, MPID_PATTERN];

/** Returns the names of accounts by each of their identifiers. Other texts among the given ones have no name. */
export async function accountNames(
  { executeAsAccount }: Pick<PageContext, 'executeAsAccount'>,
  texts: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(texts)].filter((text) => IDS.some((pattern) => pattern.test(text)));
  if (ids.length === 0) return new Map();
  const { accounts } = await executeAsAccount('ReadAccountNames', { first: ids.length, ids });
  return new Map(
    accounts.nodes.flatMap(({ accountId, duid, mpid, displayName }) =>
      [accountId, duid, mpid].flatMap((id): [string, string][] => (id === null ? [] : [[id, displayName]])),
    ),
  );
}
