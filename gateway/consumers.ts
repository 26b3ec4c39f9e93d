import type { ConsumerClaims } from '../schema/consumer-claims';
import { RegisterError } from '../schema/register-error';
import type { CallContext, Caller } from '../subgraphs/server/caller';
import { askSubgraph } from '../subgraphs/server/service-question';
import type { SubgraphLink } from '../subgraphs/server/subgraph-link';

/** What `tariffs` says of the token of a supplier, at this instant. */
interface ConsumerAdmission extends ConsumerClaims {
  readonly mpid: string;
  readonly retryAfter: number | null;
}

const ADMISSION = `query ConsumerAdmission($token: String!) {
  consumerAdmission(token: $token) { mpid issuer subject userId mpxns scopes retryAfter }
}`;

/**
 * The RTI User to whom a supplier issued a token, and the consumer for whom it acts (3-decisions-c-d.md, D.1). `tariffs` verifies the
 * token, and looks up supplier and RTI User at every request: AUT001, AUT002 when it has expired, RTI001 when the RTI User is not
 * active, SYS002 when the supplier's keys cannot be had.
 */
export async function admittedConsumer(token: string, tariffs: SubgraphLink, context: CallContext): Promise<Caller> {
  type Answer = { readonly consumerAdmission: ConsumerAdmission };
  const { consumerAdmission } = await askSubgraph<Answer>(tariffs, 'gateway', ADMISSION, { token }, context);
  const { mpid, retryAfter, ...consumer } = consumerAdmission;
  if (retryAfter !== null) throw new RegisterError('LIM002', undefined, { retryAfter });
  return { accountId: consumer.userId, role: 'consumer', duid: null, mpid, consumer };
}
