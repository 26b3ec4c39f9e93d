import { TOKEN_REF_PATTERN } from '../../../schema/identifiers';
import type { CallContext } from '../../server/callers/caller';
import type { KeyedHash } from '../../server/keyed-hash';
import { ReidentificationProof as ReidentificationProofOperation } from '../../../schema/generated/service-queries-to-identity';
import { querySubgraph } from '../../server/graph/service-query';
import type { SubgraphLink } from '../../server/graph/subgraph-link';
import type { Occupant } from '../records/access-record.queries';
import type { RedeemedToken } from './redeemed-token.repository';

/** Attestation of a re-identification by `identity` (decisions A/B, 3). The redemption decides whether its token is still valid. */
export interface ReidentificationProof {
  /** The Data User that initiated it; no other organisation may use it. */
  readonly initiator: string;
  readonly identityRecordId: string;
  /** Null once the Identity Record was anonymised. */
  readonly meterPointId: string | null;
  /** Whether the customer has confirmed it. */
  readonly isConfirmed: boolean;
  /** Whether the Identity Record is closing or was anonymised. */
  readonly isClosed: boolean;
  /** The person who confirmed it; null once the Identity Record is closing or anonymised. */
  readonly occupant: Occupant | null;
  readonly token: RedeemedToken;
}

/** Queries what a token proves from `identity`; undefined for a token that it never issued. */
export type ReidentificationProofs = (
  tokenRef: string,
  context: CallContext,
) => Promise<ReidentificationProof | undefined>;

/** Proofs by GraphQL, with the service account. */
export function reidentificationProofs(identity: SubgraphLink, hashOfToken: KeyedHash): ReidentificationProofs {
  return async (tokenRef, context) => {
    if (!TOKEN_REF_PATTERN.test(tokenRef)) return undefined;
    const result = await querySubgraph(
      identity,
      'access',
      ReidentificationProofOperation,
      { token: tokenRef },
      context,
    );
    const proof = result.reidentificationProof;
    if (proof === null) return undefined;
    const { initiator, identityRecordId, meterPointId, status, expiresAt, anonymised, closing } = proof;
    const { ownRecordIds, since, beganAt } = proof;
    return {
      initiator,
      identityRecordId,
      meterPointId,
      isConfirmed: status === 'CONFIRMED',
      isClosed: anonymised || closing,
      occupant: since === null ? null : { ownRecordIds, since, beganAt },
      token: { hash: hashOfToken(tokenRef), expiresAt: new Date(expiresAt) },
    };
  };
}
