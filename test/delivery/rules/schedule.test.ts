import { WEBHOOK_SCHEDULE } from '../../../subgraphs/access/webhooks/webhook';
import { type LaneDelivery, outcomeOf } from '../../../subgraphs/delivery/lane';
import { secondsToNext } from '../../../subgraphs/delivery/schedule';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

const delivery = (more: Partial<LaneDelivery>): LaneDelivery => ({
  endpointId: 'endpoint',
  eventId: `evt ${more.sequence ?? 1}`,
  subject: 'one',
  sequence: 1,
  lastDue: 1,
  urgent: false,
  due: true,
  attempt: 0,
  assemblyFailures: 0,
  version: '1',
  isFresh: true,
  redeliveredAt: null,
  plannedAt: 0,
  ...more,
});
const rejected = { error: 'refused-status', retryAfterSeconds: null };

describe('The retry schedule', () => {
  it('retries after 1 minute, 5 minutes, 30 minutes, 2 hours and 24 hours, and ends after the sixth attempt', () => {
    expect([0, 1, 2, 3, 4, 5].map((made) => secondsToNext(WEBHOOK_SCHEDULE, made))).toEqual([
      MINUTE,
      5 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      24 * HOUR,
      undefined,
    ]);
  });

  it.each([
    ['later than the schedule', 0, 90, 90],
    ['earlier than the schedule', 1, 90, 5 * MINUTE],
    ['later than the longest delay', 0, 7 * 24 * HOUR, 24 * HOUR],
    ['after the last send', 5, 90, undefined],
  ])('respects a Retry-After %s within its limits', (_which, made, requested, seconds) => {
    expect(secondsToNext(WEBHOOK_SCHEDULE, made, requested)).toBe(seconds);
  });
});

describe('An attempt', () => {
  it('that succeeds ends the delivery, whether it was due or tried before a later one', () => {
    const accepted = { error: null, retryAfterSeconds: null };
    expect(outcomeOf(WEBHOOK_SCHEDULE, delivery({ attempt: 5 }), accepted)).toEqual({ kind: 'delivered' });
    expect(outcomeOf(WEBHOOK_SCHEDULE, delivery({ due: false }), accepted)).toEqual({ kind: 'delivered' });
  });

  it('that fails before a later delivery of its lane does not count', () => {
    expect(outcomeOf(WEBHOOK_SCHEDULE, delivery({ due: false, attempt: 5 }), rejected)).toEqual({
      kind: 'again',
      afterSeconds: null,
    });
  });

  it('that is the sixth failure makes the delivery undelivered', () => {
    expect(outcomeOf(WEBHOOK_SCHEDULE, delivery({ attempt: 4 }), rejected)).toEqual({
      kind: 'again',
      afterSeconds: 24 * HOUR,
    });
    expect(outcomeOf(WEBHOOK_SCHEDULE, delivery({ attempt: 5 }), rejected)).toEqual({ kind: 'undelivered' });
  });
});
