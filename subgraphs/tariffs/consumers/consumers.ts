import type { RunningSubgraph } from '../../server/running-subgraph';
import type { Area, Foundation } from '../foundation';
import { ConsumerAdmissionResolver, type ConsumerLimits } from './consumer-admission.resolver';
import { ConsumerStandingRepository } from './consumer-standing.repository';
import { consumerTokens } from './consumer-tokens';
import { issuerKeys } from './issuer-keys';

/** READ FIRST: who asks with the token of a supplier, for its consumers (3-decisions-c-d.md, D.1). */
export interface ConsumerArea extends Area {
  /** For the server of this subgraph, where it is a process of its own. */
  readonly foreignCaller: NonNullable<RunningSubgraph['foreignCaller']>;
}

/** Tokens of suppliers. */
export function consumerArea(
  { database, production, logger }: Pick<Foundation, 'database' | 'production' | 'logger'>,
  limits: ConsumerLimits,
): ConsumerArea {
  const keys = issuerKeys({ production, logger });
  const tokens = consumerTokens(new ConsumerStandingRepository(database), keys, logger);
  return {
    resolvers: [new ConsumerAdmissionResolver(tokens, limits)],
    foreignCaller: tokens.caller,
    stop: async () => keys.close(),
  };
}
