import { ConsumerAdmission } from '../../schema/generated/service-queries-to-tariffs';
import { RegisterError } from '../../schema/register-error';
import type { CallContext, Caller } from '../../subgraphs/server/callers/caller';
import { type QueriedSubgraph, querySubgraph } from '../../subgraphs/server/graph/service-query';

/**
 * Returns the RTI User to whom a supplier issued the token, and the consumer for whom it acts (decisions D.1).
 * `tariffs` verifies the token and reads supplier and RTI User for every request. Throws AUT001, AUT002 if the token
 * has expired, RTI001 if the RTI User is not active, and SYS002 if the supplier's keys are unavailable.
 */
export async function admittedConsumer(token: string, tariffs: QueriedSubgraph, context: CallContext): Promise<Caller> {
  const { consumerAdmission } = await querySubgraph(tariffs.link, tariffs.from, ConsumerAdmission, { token }, context);
  const { mpid, retryAfter, ...consumer } = consumerAdmission;
  if (retryAfter !== null) throw new RegisterError('LIM002', undefined, { retryAfter });
  return { accountId: consumer.userId, role: 'consumer', duid: null, mpid, consumer };
}
