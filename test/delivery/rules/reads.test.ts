import type { LaneDelivery } from '../../../subgraphs/delivery/lane';
import { LeasedEndpoint } from '../../../subgraphs/delivery/leased-endpoint';
import { laneLimits } from '../../../subgraphs/delivery/limits';

/** Returns the deliveries of a read: one for each lane. */
const lanes = (count: number): LaneDelivery[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ endpointId: 'e', eventId: `evt_${index}`, subject: `subject ${index}`, sequence: 1, lastDue: 1, version: '1' },
    ...{ urgent: false, due: true, attempt: 0, assemblyFailures: 0, isFresh: true, redeliveredAt: null, plannedAt: 0 },
  }));

/** Returns the step of an endpoint after a read of as many lanes, during which other deliveries became due. */
function stepAfterRead(count: number, urgent: boolean): 'read' | 'release' | undefined {
  const endpoint = new LeasedEndpoint('e', 'owner', false, laneLimits());
  endpoint.startLease();
  endpoint.startRead(0);
  endpoint.wake(urgent);
  endpoint.finishRead({ generation: '1', deliveries: lanes(count) });
  return endpoint.nextStep(1);
}

describe('An endpoint for which deliveries become due while it is read', () => {
  it.each([
    { ready: 0, urgent: false, step: 'read' },
    { ready: 19, urgent: false, step: 'read' },
    { ready: 20, urgent: false, step: undefined },
    { ready: 127, urgent: false, step: undefined },
    { ready: 127, urgent: true, step: 'read' },
  ] as const)('with $ready ready lanes (urgent: $urgent) has the next step: $step', ({ ready, urgent, step }) => {
    expect(stepAfterRead(ready, urgent)).toBe(step);
  });

  it('is read again when fewer than twenty lanes are ready', () => {
    const endpoint = new LeasedEndpoint('e', 'owner', false, laneLimits());
    endpoint.startLease();
    endpoint.startRead(0);
    endpoint.wake(false);
    endpoint.finishRead({ generation: '1', deliveries: lanes(20) });
    expect(endpoint.nextStep(1)).toBeUndefined();
    endpoint.startLane();
    expect(endpoint.nextStep(1)).toBe('read');
  });

  it('is read again after a deferral of an earlier generation during the read', () => {
    const endpoint = new LeasedEndpoint('e', 'owner', false, laneLimits());
    endpoint.startLease();
    endpoint.startRead(0);
    endpoint.finishRead({ generation: '2', deliveries: lanes(2) });
    endpoint.startLane();
    endpoint.startRead(1);
    endpoint.defer({ which: 'all', seconds: 3, isExternal: true }, '1');
    endpoint.finishRead({ generation: '2', deliveries: [] });
    expect(endpoint.nextStep(2)).toBe('read');
  });
});
