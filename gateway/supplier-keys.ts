import { RegisterError } from '../schema/register-error';
import type { CallContext, Caller } from '../subgraphs/server/caller';
import { askSubgraph } from '../subgraphs/server/service-question';
import type { SubgraphLink } from '../subgraphs/server/subgraph-link';

/** A supplier that was let in by its API key. */
export interface AdmittedSupplier {
  readonly caller: Caller;
  /** The key, by an id that is no secret: long connections end when it is replaced. */
  readonly keyId: string;
}

/** What `access` says of the supplier whose key it is, at this instant. */
interface SupplierAdmission {
  readonly accountId: string;
  readonly mpid: string;
  readonly keyId: string;
  readonly retryAfter: number | null;
}

const ADMISSION = `query SupplierAdmission($key: String!) {
  supplierAdmission(key: $key) { accountId mpid keyId retryAfter }
}`;

/**
 * The supplier of an API key (`X-Supplier-API-Key`, 3-decisions-c-d.md, D.1), asked at every request: a key that was replaced, and that
 * of an account which is not active, is refused at once (AUT003). `access` counts whatever is nobody's key with the failed sign-ins of the
 * client's network: LIM002 with the seconds to wait.
 */
export async function admittedSupplier(
  key: string,
  access: SubgraphLink,
  context: CallContext,
): Promise<AdmittedSupplier> {
  type Answer = { readonly supplierAdmission: SupplierAdmission | null };
  const { supplierAdmission } = await askSubgraph<Answer>(access, 'gateway', ADMISSION, { key }, context);
  if (supplierAdmission === null) throw new RegisterError('AUT003');
  const { accountId, mpid, keyId, retryAfter } = supplierAdmission;
  if (retryAfter !== null) throw new RegisterError('LIM002', undefined, { retryAfter });
  return { caller: { accountId, role: 'supplier', duid: null, mpid }, keyId };
}
