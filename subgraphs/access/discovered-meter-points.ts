import type { CallContext } from '../server/caller';
import { askSubgraph } from '../server/service-question';
import type { SubgraphLink } from '../server/subgraph-link';

/** The opaque id of the meter point at which access was discovered; `identity` keeps which MPxN that is. */
export type DiscoveredMeterPoints = (mpxn: string, context: CallContext) => Promise<string>;

const KEEP =
  'mutation KeepDiscoveredMeterPoint($mpxn: MPxN!) { keepDiscoveredMeterPoint(mpxn: $mpxn) { meterPointId } }';

/** Meter points by GraphQL, on the account of this service. */
export function discoveredMeterPoints(identity: SubgraphLink): DiscoveredMeterPoints {
  return async (mpxn, context) => {
    type Answer = { keepDiscoveredMeterPoint: { meterPointId: string } };
    const answer = await askSubgraph<Answer>(identity, 'access', KEEP, { mpxn }, context);
    return answer.keepDiscoveredMeterPoint.meterPointId;
  };
}
