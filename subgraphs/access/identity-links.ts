import DataLoader from 'dataloader';
import type { Logger } from 'pino';
import { newIdentifier } from '../../schema/identifiers';
import { RegisterError } from '../../schema/register-error';
import type { CallContext } from '../server/caller';
import { type QuestionOrigin, askSubgraph } from '../server/service-question';
import type { SubgraphLink } from '../server/subgraph-link';
import type { IdentityLink } from './database/access-record.repository';
import { unusableToken } from './database/consumed-token';
import type { AccessRecordInput } from './domain/access-record';
import type { ReidentificationProofs } from './reidentification-proofs';

/** What `identity` says of an Identity Record to another service. */
interface VouchedRecord {
  readonly id: string;
  readonly duid: string;
  readonly meterPointId: string | null;
  readonly anonymised: boolean;
  readonly closing: boolean;
}

/** Asks `identity` to vouch for the Identity Record of a registration. */
export interface IdentityLinks {
  vouchFor(input: AccessRecordInput, duid: string, context: CallContext): Promise<IdentityLink>;
}

const VOUCH = `query VouchForIdentityRecords($refs: [IdentityRecordKey!]!) {
  identityRecordLinks(refs: $refs) { id duid meterPointId anonymised closing }
}`;

/**
 * Links by GraphQL, on the account of this service; concurrent registrations ask in one operation. An operation for one request
 * carries its transaction id. One for several belongs to none of them: it has an id of its own, and the log says for whom it asks.
 */
export function identityLinks(identity: SubgraphLink, proofs: ReidentificationProofs, logger: Logger): IdentityLinks {
  const loader = new DataLoader<{ ref: string; context: CallContext }, VouchedRecord | null>(
    async (asked) => {
      type Answer = { identityRecordLinks: (VouchedRecord | null)[] };
      const contexts = asked.map(({ context }) => context);
      const refs = asked.map(({ ref }) => ref);
      return (await askSubgraph<Answer>(identity, 'access', VOUCH, { refs }, originOf(contexts, logger)))
        .identityRecordLinks;
    },
    { cache: false, maxBatchSize: 100, batchScheduleFn: (run) => void setImmediate(run) },
  );
  return {
    async vouchFor({ recordMetadata, reidentificationToken }, duid, context) {
      const ref = recordMetadata.identityRecordRef;
      if (reidentificationToken != null) return reidentified(reidentificationToken, duid, context, proofs);
      if (ref == null) throw new Error('a registration without a link breaks a rule');
      const record = await loader.load({ ref, context });
      if (!record || record.duid !== duid) {
        throw new RegisterError('PRM002', 'The Identity Record was not registered by this Data User.');
      }
      if (record.anonymised || record.closing || record.meterPointId === null) throw new RegisterError('CNF003');
      return { id: record.id, meterPointId: record.meterPointId, ref };
    },
  };
}

/** Of which request an operation is: of the only one, else of this service itself. */
function originOf(contexts: readonly CallContext[], logger: Logger): QuestionOrigin {
  const [first] = contexts as [CallContext];
  const requests = [...new Set(contexts.map(({ transactionId }) => transactionId))];
  if (requests.length === 1) return { transactionId: first.transactionId, clientAddress: first.clientAddress };
  const transactionId = newIdentifier('tid');
  logger.debug({ 'transaction-id': transactionId, requests }, 'identity records vouched for in one operation');
  return { transactionId, clientAddress: '' };
}

/** The link that a confirmed token proves; its Data User does not learn the key of the Identity Record. */
async function reidentified(
  tokenRef: string,
  duid: string,
  context: CallContext,
  proofs: ReidentificationProofs,
): Promise<IdentityLink> {
  const proof = await proofs(tokenRef, context);
  if (!proof) throw unusableToken();
  const { initiator, identityRecordId, meterPointId, isConfirmed, isClosed, token } = proof;
  if (initiator !== duid) {
    throw new RegisterError('PRM002', 'The re-identification was not initiated by this Data User.');
  }
  if (!isConfirmed) throw unusableToken();
  if (isClosed || meterPointId === null) throw new RegisterError('CNF003');
  return { id: identityRecordId, meterPointId, ref: null, token };
}
