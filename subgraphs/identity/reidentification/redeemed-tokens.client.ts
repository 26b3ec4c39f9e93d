import { IsTokenRedeemed } from '../../../schema/generated/service-queries-to-access';
import { type CallOrigin, querySubgraph } from '../../server/graph/service-query';
import type { SubgraphLink } from '../../server/graph/subgraph-link';
import type { Reidentification } from './reidentification';

/** Marks a re-identification as expired for its initiator if its token was redeemed. */
export type RedemptionCheck = (
  found: Reidentification,
  tokenRef: string,
  origin: CallOrigin,
) => Promise<Reidentification>;

/** Queries from `access`, which redeems tokens, whether a confirmed token was redeemed. */
export function redemptionCheck(access: SubgraphLink): RedemptionCheck {
  return async (found, tokenRef, origin) => {
    if (found.state !== 'confirmed') return found;
    const result = await querySubgraph(access, 'identity', IsTokenRedeemed, { token: tokenRef }, origin);
    return result.isTokenRedeemed ? { ...found, state: 'expired' } : found;
  };
}
