import fc from 'fast-check';
import { WEBHOOK_SCHEDULE } from '../../../subgraphs/access/webhooks/webhook';
import { type Arrival, LaneModel } from '../../support/lane-model';

const SCRIPTS = process.env['TEST_LONG'] === undefined ? 500 : 10_000;

const arrivals = fc.array(
  fc.record({
    subject: fc.constantFrom('A', 'B', 'C', 'D'),
    urgent: fc.boolean(),
    during: fc.nat({ max: 12 }),
  }),
  { minLength: 1, maxLength: 12 },
);
const responses = fc.array(fc.boolean(), { minLength: 1, maxLength: 30 });

/** The first event occurs before the first attempt, because otherwise there is no attempt. */
const started = ([first, ...rest]: Arrival[]): Arrival[] => [{ ...(first as Arrival), during: 0 }, ...rest];

describe('For any failures of receivers and any times of events', () => {
  const model = (script: Arrival[], accepts: boolean[]): LaneModel => {
    const lanes = new LaneModel(WEBHOOK_SCHEDULE, started(script), accepts);
    lanes.run();
    return lanes;
  };

  it('a lane is in order, no due delivery is withheld, and urgent ones are first', () => {
    const keepsOrder = fc.property(arrivals, responses, (script, accepts) => {
      expect(model(script, accepts).breaches).toEqual([]);
    });
    fc.assert(keepsOrder, { numRuns: SCRIPTS });
  });

  it('a delivery is abandoned after six failed attempts of its schedule and no earlier', () => {
    const keepsSchedule = fc.property(arrivals, responses, (script, accepts) => {
      for (const { state, failedAt } of model(script, accepts).deliveries) {
        expect(state === 'undelivered').toBe(failedAt.length === 6);
        const waits = failedAt.slice(1).map((at, n) => at - (failedAt[n] as number));
        expect(waits.every((wait, n) => wait > (WEBHOOK_SCHEDULE.delays[n] as number))).toBe(true);
      }
    });
    fc.assert(keepsSchedule, { numRuns: SCRIPTS / 5 });
  });
});
