import type { CallContext } from '../../server/callers/caller';
import { KeepDiscoveredMeterPoint } from '../../../schema/generated/service-queries-to-identity';
import { querySubgraph } from '../../server/graph/service-query';
import type { SubgraphLink } from '../../server/graph/subgraph-link';

/** Returns the opaque id of a meter point with discovered access; `identity` stores its MPxN. */
export type DiscoveredMeterPoints = (mpxn: string, context: CallContext) => Promise<string>;

/** Meter points by GraphQL, with the service account. */
export function discoveredMeterPoints(identity: SubgraphLink): DiscoveredMeterPoints {
  return async (mpxn, context) => {
    const result = await querySubgraph(identity, 'access', KeepDiscoveredMeterPoint, { mpxn }, context);
    return result.keepDiscoveredMeterPoint.meterPointId;
  };
}
