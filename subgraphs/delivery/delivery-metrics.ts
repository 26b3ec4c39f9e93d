import { Counter, Histogram, Registry } from 'prom-client';
import { collectedGauge } from '../server/observability/collected-gauge';

/** Metrics of deliveries. */
export interface DeliveryMetrics {
  /** Counts an attempt by its result: null for `delivered`, else the kind of failure. */
  attempted(error: string | null): void;
  /** Observes the milliseconds from the planning of a delivery to its first attempt. Called for fresh deliveries only. */
  firstAttempt(ageMs: number): void;
}

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600];

/**
 * Registers the metrics of deliveries.
 *
 * @param pending returns the number of pending deliveries; called when the metrics are read
 * @param prefix of the names, for a process that makes the deliveries of several subgraphs
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
  const delivered = attempts.labels('delivered');
  const first = new Histogram({
    name: `${prefix}delivery_first_attempt_seconds`,
    help: 'Time from the planning of a delivery to its first attempt',
    buckets: BUCKETS_SECONDS,
    registers,
  });
  collectedGauge(
    register,
    { name: `${prefix}deliveries_pending`, help: 'Deliveries that are still to be made' },
    pending,
  );
  return {
    attempted: (error) => (error === null ? delivered.inc() : attempts.inc({ result: error })),
    firstAttempt: (ageMs) => first.observe(Math.max(0, ageMs) / 1_000),
  };
}
