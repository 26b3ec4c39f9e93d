import { Counter, Histogram, Registry } from 'prom-client';
import { askedGauge } from '../server/asked-gauge';

/** What is counted of deliveries. */
export interface DeliveryMetrics {
  /** An attempt and how it ended: `delivered`, or the kind of failure. */
  attempted(error: string | null): void;
  /** The first attempt at a delivery that was never put off began so many milliseconds after its event. */
  began(ageMs: number): void;
}

/** Seconds from an event to the first attempt. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600];

/**
 * Counters of the deliveries; `pending` is asked when they are read.
 *
 * @param prefix of the names, where a process makes the deliveries of several subgraphs
 */
export function deliveryMetrics(
  register: Registry = new Registry(),
  pending: () => Promise<number>,
  prefix = '',
): DeliveryMetrics {
  const registers = [register];
  const attempts = new Counter({
    name: `${prefix}delivery_attempts_total`,
    help: 'Attempts at deliveries by how they ended',
    labelNames: ['result'],
    registers,
  });
  const first = new Histogram({
    name: `${prefix}delivery_first_attempt_seconds`,
    help: 'Time from an event to the first attempt at its delivery',
    buckets: BUCKETS,
    registers,
  });
  askedGauge(register, { name: `${prefix}deliveries_pending`, help: 'Deliveries that are still to be made' }, pending);
  return {
    attempted: (error) => attempts.inc({ result: error ?? 'delivered' }),
    began: (ageMs) => first.observe(Math.max(0, ageMs) / 1_000),
  };
}
