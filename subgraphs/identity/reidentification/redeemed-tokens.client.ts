import { IsTokenRedeemed } from '../../../schema/generated/questions-to-access';
import { type QuestionOrigin, askSubgraph } from '../../server/graph/service-question';
import type { SubgraphLink } from '../../server/graph/subgraph-link';
import type { Reidentification } from './reidentification';

/** Marks a re-identification as expired for its initiator if its token was redeemed. */
export type Unredeemed = (
  found: Reidentification,
  tokenRef: string,
  origin: QuestionOrigin,
) => Promise<Reidentification>;

/** Queries from `access`, which redeems tokens, whether a confirmed token was redeemed. */
export function unredeemed(access: SubgraphLink): Unredeemed {
  return async (found, tokenRef, origin) => {
    if (found.state !== 'confirmed') return found;
    const result = await askSubgraph(access, 'identity', IsTokenRedeemed, { token: tokenRef }, origin);
    return result.isTokenRedeemed ? { ...found, state: 'expired' } : found;
  };
}
