import fc from 'fast-check';
import { WEBHOOK_SCHEDULE } from '../../../subgraphs/access/webhooks/retry-schedule';
import { type Arrival, SlotModel } from '../../support/slot-model';

const SCRIPTS = process.env['TEST_LONG'] === undefined ? 500 : 10_000;

const arrivals = fc.array(
  fc.record({
    subject: fc.constantFrom('A', 'B', 'C', 'D'),
    urgent: fc.boolean(),
    during: fc.nat({ max: 12 }),
  }),
  { minLength: 1, maxLength: 12 },
);
const answers = fc.array(fc.boolean(), { minLength: 1, maxLength: 30 });

/** At least one comes before the first attempt, else there is none. */
const begun = ([first, ...rest]: Arrival[]): Arrival[] => [{ ...(first as Arrival), during: 0 }, ...rest];

describe('Whatever receivers refuse and whenever events come', () => {
  const model = async (script: Arrival[], accepts: boolean[]): Promise<SlotModel> => {
    const slot = new SlotModel(WEBHOOK_SCHEDULE, begun(script), accepts);
    await slot.run();
    return slot;
  };

  it('a lane goes in order, nothing that is due is held back, and what is urgent goes first', async () => {
    const keepsOrder = fc.asyncProperty(arrivals, answers, async (script, accepts) => {
      expect((await model(script, accepts)).breaches).toEqual([]);
    });
    await fc.assert(keepsOrder, { numRuns: SCRIPTS });
  });

  it('a delivery is given up after six failed sends of its schedule and no earlier', async () => {
    const keepsSchedule = fc.asyncProperty(arrivals, answers, async (script, accepts) => {
      for (const { state, failedAt } of (await model(script, accepts)).deliveries) {
        expect(state === 'undelivered').toBe(failedAt.length === 6);
        const waits = failedAt.slice(1).map((at, n) => at - (failedAt[n] as number));
        expect(waits.every((wait, n) => wait > (WEBHOOK_SCHEDULE.delays[n] as number))).toBe(true);
      }
    });
    await fc.assert(keepsSchedule, { numRuns: SCRIPTS / 5 });
  });
});
