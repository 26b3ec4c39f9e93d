import { ConsumerAdmission } from '../../schema/generated/service-queries-to-tariffs';
import { isErrorCode } from '../../schema/error-catalogue';
import { RegisterError } from '../../schema/register-error';
import type { CallContext, Caller } from '../../subgraphs/server/callers/caller';
import { rejectLimited } from '../../subgraphs/server/callers/rate-limits';
import { type QueriedSubgraph, querySubgraph } from '../../subgraphs/server/graph/service-query';

/** The caller of a supplier's token. */
interface IdentifiedConsumer {
  readonly caller: Caller;
  /** The error of all operations except those for inactive consumers, unless supplier and RTI User are active. */
  readonly inactive?: RegisterError;
}

/**
 * Returns the RTI User to whom a supplier issued the token, and the consumer for whom it acts (decisions D.1).
 * `tariffs` verifies the token and reads supplier and RTI User for every request. Throws AUT001, AUT002 if the token
 * has expired, RTI001 if the RTI User is removed, and SYS002 if the supplier's keys are unavailable.
 */
export async function identifiedConsumer(
  credential: { readonly token: string; readonly isCounted: boolean },
  tariffs: QueriedSubgraph,
  context: CallContext,
): Promise<IdentifiedConsumer> {
  const { consumerAdmission } = await querySubgraph(tariffs.link, tariffs.from, ConsumerAdmission, credential, context);
  const { mpid, retryAfter, inactive, issuedAt, ...claims } = consumerAdmission;
  rejectLimited(retryAfter);
  const consumer = { ...claims, issuedAt: new Date(issuedAt) };
  const caller: Caller = { accountId: consumer.userId, role: 'consumer', duid: null, mpid, consumer };
  if (inactive === null) return { caller };
  return { caller, inactive: new RegisterError(isErrorCode(inactive) ? inactive : 'AUT001') };
}
