import { TOKEN_REF_PATTERN } from '../../schema/identifiers';
import type { CallContext } from '../server/caller';
import type { KeyedHash } from '../server/keyed-hash';
import { askSubgraph } from '../server/service-question';
import type { SubgraphLink } from '../server/subgraph-link';
import type { RedeemedToken } from './database/consumed-token';

/** What `identity` vouches for of a re-identification (2-decisions-a-b.md, section 3): whether it is still good is decided by its redemption. */
export interface ReidentificationProof {
  /** The Data User that began it; nobody else may use it. */
  readonly initiator: string;
  readonly identityRecordId: string;
  /** Null once the Identity Record was anonymised. */
  readonly meterPointId: string | null;
  /** Whether the customer has confirmed it. */
  readonly isConfirmed: boolean;
  /** Whether the Identity Record is being anonymised, or was. */
  readonly isClosed: boolean;
  readonly token: RedeemedToken;
}

/** Asks `identity` what a token proves: undefined for one that it never issued. */
export type ReidentificationProofs = (
  tokenRef: string,
  context: CallContext,
) => Promise<ReidentificationProof | undefined>;

const PROOF = `query ReidentificationProof($token: TokenRef!) {
  reidentificationProof(token: $token) { initiator identityRecordId meterPointId status expiresAt anonymised closing }
}`;

interface Answer {
  readonly reidentificationProof: {
    readonly initiator: string;
    readonly identityRecordId: string;
    readonly meterPointId: string | null;
    readonly status: string;
    readonly expiresAt: string;
    readonly anonymised: boolean;
    readonly closing: boolean;
  } | null;
}

/** Proofs by GraphQL, on the account of this service. */
export function reidentificationProofs(identity: SubgraphLink, hashOfToken: KeyedHash): ReidentificationProofs {
  return async (tokenRef, context) => {
    if (!TOKEN_REF_PATTERN.test(tokenRef)) return undefined;
    const answer = await askSubgraph<Answer>(identity, 'access', PROOF, { token: tokenRef }, context);
    const proof = answer.reidentificationProof;
    if (proof === null) return undefined;
    const { initiator, identityRecordId, meterPointId, status, expiresAt, anonymised, closing } = proof;
    return {
      initiator,
      identityRecordId,
      meterPointId,
      isConfirmed: status === 'CONFIRMED',
      isClosed: anonymised || closing,
      token: { hash: hashOfToken(tokenRef), expiresAt: new Date(expiresAt) },
    };
  };
}
