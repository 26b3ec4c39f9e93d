import { type QuestionOrigin, askSubgraph } from '../../server/service-question';
import type { SubgraphLink } from '../../server/subgraph-link';
import type { Reidentification } from '../domain/reidentification';

/** A re-identification as its initiator reads it: one whose token was redeemed has expired. */
export type Unredeemed = (
  found: Reidentification,
  tokenRef: string,
  origin: QuestionOrigin,
) => Promise<Reidentification>;

const REDEEMED = 'query IsTokenRedeemed($token: TokenRef!) { isTokenRedeemed(token: $token) }';

/** Reads from `access`, which redeems tokens, whether a confirmed one still can be used. */
export function unredeemed(access: SubgraphLink): Unredeemed {
  return async (found, tokenRef, origin) => {
    if (found.state !== 'confirmed') return found;
    type Answer = { isTokenRedeemed: boolean };
    const answer = await askSubgraph<Answer>(access, 'identity', REDEEMED, { token: tokenRef }, origin);
    return answer.isTokenRedeemed ? { ...found, state: 'expired' } : found;
  };
}
