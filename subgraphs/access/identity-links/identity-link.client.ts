import DataLoader from 'dataloader';
import type { Logger } from 'pino';
import { CLOSED_IDENTITY_RECORD } from '../../../schema/closed-identity-record';
import { newIdentifier } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import type { CallContext } from '../../server/callers/caller';
import { isChecking } from '../../server/database/check-only';
import {
  VouchForIdentityRecords,
  type VouchForIdentityRecordsQuery,
} from '../../../schema/generated/service-queries-to-identity';
import { type CallOrigin, querySubgraph } from '../../server/graph/service-query';
import type { SubgraphLink } from '../../server/graph/subgraph-link';
import type { IdentityLink } from '../records/access-record.repository';
import { rejectedToken } from './redeemed-token.repository';
import type { AccessRecordInput } from '../records/access-record';
import type { ReidentificationProofs } from './reidentification-proof.client';

/** Fields of an Identity Record that `identity` returns to other services; null for an unknown key. */
type VouchedRecord = VouchForIdentityRecordsQuery['identityRecordLinks'][number];

/** The key of an Identity Record, and the request that names it. */
interface RequestedLink {
  readonly ref: string;
  readonly context: CallContext;
}

/** Resolves the Identity Record of a registration with `identity`. */
export interface IdentityLinks {
  vouchFor(input: AccessRecordInput, duid: string, context: CallContext): Promise<IdentityLink>;
}

/**
 * Links by GraphQL, with the service account. Concurrent registrations share an operation. An operation for one request has its transaction
 * id; one for several requests has its own, and a log entry lists theirs.
 */
export function identityLinks(identity: SubgraphLink, proofs: ReidentificationProofs, logger: Logger): IdentityLinks {
  const read = async (requested: readonly RequestedLink[]): Promise<readonly VouchedRecord[]> => {
    const contexts = requested.map(({ context }) => context);
    const refs = requested.map(({ ref }) => ref);
    return (await querySubgraph(identity, 'access', VouchForIdentityRecords, { refs }, originOf(contexts, logger)))
      .identityRecordLinks;
  };
  const loader = new DataLoader<RequestedLink, VouchedRecord>(read, {
    cache: false,
    maxBatchSize: 100,
    batchScheduleFn: (run) => void setImmediate(run),
  });
  return {
    async vouchFor({ recordMetadata, reidentificationToken }, duid, context) {
      const ref = recordMetadata.identityRecordRef;
      if (reidentificationToken != null) return reidentified(reidentificationToken, duid, context, proofs);
      if (ref == null) throw new Error('a registration without a link breaks a rule');
      const record = isChecking() ? (await read([{ ref, context }]))[0] : await loader.load({ ref, context });
      if (!record || record.duid !== duid) {
        throw new RegisterError('PRM002', 'The Identity Record was not registered by this Data User.');
      }
      const { id, meterPointId, closing, anonymised } = record;
      if (anonymised || meterPointId === null) throw new RegisterError('CNF003', CLOSED_IDENTITY_RECORD.anonymised);
      if (closing) throw new RegisterError('CNF003', CLOSED_IDENTITY_RECORD.closing);
      return { id, meterPointId, ref };
    },
  };
}

/** Origin of an operation: the only request, or this service for several. */
function originOf(contexts: readonly CallContext[], logger: Logger): CallOrigin {
  const [first] = contexts as [CallContext];
  const requests = [...new Set(contexts.map(({ transactionId }) => transactionId))];
  if (requests.length === 1) return { transactionId: first.transactionId, clientAddress: first.clientAddress };
  const transactionId = newIdentifier('tid');
  logger.debug({ 'transaction-id': transactionId, requests }, 'identity records vouched for in one operation');
  return { transactionId, clientAddress: '' };
}

/** Returns the link that a confirmed token proves. It contains no key of the Identity Record, which the Data User must not receive. */
async function reidentified(
  tokenRef: string,
  duid: string,
  context: CallContext,
  proofs: ReidentificationProofs,
): Promise<IdentityLink> {
  const proof = await proofs(tokenRef, context);
  if (!proof) throw rejectedToken();
  const { initiator, identityRecordId, meterPointId, isConfirmed, isClosed, token } = proof;
  if (initiator !== duid) {
    throw new RegisterError('PRM002', 'The re-identification was not initiated by this Data User.');
  }
  if (!isConfirmed) throw rejectedToken();
  if (isClosed || meterPointId === null) throw new RegisterError('CNF003', CLOSED_IDENTITY_RECORD.either);
  return { id: identityRecordId, meterPointId, ref: null, token };
}
