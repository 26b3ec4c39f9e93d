import { WEBHOOK_SCHEDULE } from '../../../subgraphs/access/webhooks/retry-schedule';
import { type LaneDelivery, lanesOf, outcomeOf } from '../../../subgraphs/delivery/pass';
import { secondsToNext } from '../../../subgraphs/delivery/schedule';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

const delivery = (more: Partial<LaneDelivery>): LaneDelivery => ({
  endpointId: 'endpoint',
  eventId: `evt ${more.sequence ?? 1}`,
  subject: 'one',
  sequence: 1,
  urgent: false,
  due: true,
  attempt: 0,
  held: 0,
  faults: 0,
  redeliveredAt: null,
  ageMs: 0,
  ...more,
});
const refused = { error: 'refused-status', retryAfterSeconds: null };

describe('The retry schedule', () => {
  it('sends again after 1 minute, 5 minutes, 30 minutes, 2 hours and 24 hours, and gives up after the sixth send', () => {
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
  ])('honours a Retry-After %s within itself', (_which, made, asked, seconds) => {
    expect(secondsToNext(WEBHOOK_SCHEDULE, made, asked)).toBe(seconds);
  });
});

describe('An attempt', () => {
  it('that succeeds ends the delivery, at its time or on the way', () => {
    const accepted = { error: null, retryAfterSeconds: null };
    expect(outcomeOf(WEBHOOK_SCHEDULE, delivery({ attempt: 5 }), accepted)).toEqual({ kind: 'delivered' });
    expect(outcomeOf(WEBHOOK_SCHEDULE, delivery({ due: false }), accepted)).toEqual({ kind: 'delivered' });
  });

  it('that fails on the way to a later delivery does not count', () => {
    expect(outcomeOf(WEBHOOK_SCHEDULE, delivery({ due: false, attempt: 5 }), refused)).toEqual({
      kind: 'again',
      afterSeconds: null,
    });
  });

  it('that fails the sixth time makes the delivery undelivered', () => {
    expect(outcomeOf(WEBHOOK_SCHEDULE, delivery({ attempt: 4 }), refused)).toEqual({
      kind: 'again',
      afterSeconds: 24 * HOUR,
    });
    expect(outcomeOf(WEBHOOK_SCHEDULE, delivery({ attempt: 5 }), refused)).toEqual({ kind: 'undelivered' });
  });
});

describe('A pass', () => {
  it('goes through a lane in order up to the last delivery that is due, whatever came of earlier ones', () => {
    const lane = [
      delivery({ sequence: 1, due: false, attempt: 3 }),
      delivery({ sequence: 2, due: true }),
      delivery({ sequence: 3, due: false, attempt: 1 }),
    ];
    expect(lanesOf(lane).map(({ deliveries }) => deliveries.map(({ sequence }) => sequence))).toEqual([[1, 2]]);
  });

  it('leaves a lane alone in which nothing is due', () => {
    expect(lanesOf([delivery({ due: false })])).toEqual([]);
  });
});
