import type { RunningSubgraph } from '../../server/graph/running-subgraph';
import type { SubgraphModule, TariffDependencies } from '../dependencies';
import { ConsumerAdmissionResolver, type ConsumerLimits } from './consumer-admission.resolver';
import { ConsumerStatusQueries } from './consumer-status.queries';
import { consumerTokens } from './consumer-tokens.flow';
import { issuerKeys } from './issuer-keys.client';

/** READ FIRST: callers with the token of a supplier, who act for its consumers (decisions C/D, D.1). */
interface ConsumerModule extends SubgraphModule {
  /** Authenticates requests of other processes to the server of this subgraph. */
  readonly foreignCaller: NonNullable<RunningSubgraph['foreignCaller']>;
}

/** Composes the verification of suppliers' tokens. */
export function consumerModule(
  { database, production, logger }: Pick<TariffDependencies, 'database' | 'production' | 'logger'>,
  limits: ConsumerLimits,
): ConsumerModule {
  const keys = issuerKeys({ production, logger });
  const tokens = consumerTokens(new ConsumerStatusQueries(database), keys, logger);
  return {
    resolvers: [new ConsumerAdmissionResolver(tokens, limits)],
    foreignCaller: tokens.caller,
    stop: async () => keys.close(),
  };
}
