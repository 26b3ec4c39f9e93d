import { SupplierAdmission } from '../../schema/generated/service-queries-to-access';
import { RegisterError } from '../../schema/register-error';
import type { CallContext, Caller } from '../../subgraphs/server/callers/caller';
import { rejectLimited } from '../../subgraphs/server/callers/rate-limits';
import { type QueriedSubgraph, querySubgraph } from '../../subgraphs/server/graph/service-query';

/** A supplier authenticated by its API key. */
interface AdmittedSupplier {
  readonly caller: Caller;
  /** Public id of the key. Long-lived connections end when the key is replaced. */
  readonly keyId: string;
}

/**
 * Returns the supplier of an API key (`X-Supplier-API-Key`, decisions D.1), read from `access` for every request: a
 * replaced key, or the key of an account that is not active, is rejected at once (AUT003). `access` counts unknown keys
 * with the failed sign-ins of the client's network: LIM002 with the seconds to wait.
 */
export async function admittedSupplier(
  credential: { readonly key: string; readonly isCounted: boolean },
  access: QueriedSubgraph,
  context: CallContext,
): Promise<AdmittedSupplier> {
  const { supplierAdmission } = await querySubgraph(access.link, access.from, SupplierAdmission, credential, context);
  if (supplierAdmission === null) throw new RegisterError('AUT003');
  const { accountId, mpid, keyId, retryAfter } = supplierAdmission;
  rejectLimited(retryAfter);
  return { caller: { accountId, role: 'supplier', duid: null, mpid }, keyId };
}
