import { Histogram, Registry } from 'prom-client';
import { collectedGauge } from '../../server/observability/collected-gauge';

/** Seconds; 3,600 is the bound (decisions C/D, D.3). */
const BUCKETS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 1_800, 3_600, 7_200];

/**
 * Observes the milliseconds from the effect of an event to the first attempt at a delivery of it. `wasHeld` separates deliveries that
 * were deferred before, because a party was suspended or a dependency unavailable.
 */
export type EventDelay = (delayMs: number, wasHeld: boolean) => void;

/** Registers the histogram of the delays, labelled by `held`. */
export function eventDelay(registry: Registry = new Registry()): EventDelay {
  const delay = new Histogram({
    name: 'register_tariff_event_delay_seconds',
    help: 'Time from the effect of a tariff event to the first attempt at a delivery of it; at most 3600 is allowed unless it was held',
    labelNames: ['held'],
    buckets: BUCKETS,
    registers: [registry],
  });
  for (const held of ['true', 'false']) delay.zero({ held });
  return (delayMs, wasHeld) => delay.observe({ held: String(wasHeld) }, Math.max(0, delayMs) / 1_000);
}

/**
 * Registers the gauge of deliveries that the histogram does not contain yet: those without an attempt.
 *
 * @param seconds the age of the oldest one, read at each scrape; 0 without one
 */
export function measureUnattempted(seconds: () => Promise<number>, registry: Registry): void {
  const name = 'register_tariff_delivery_unattempted_seconds';
  const help =
    'Age of the oldest pending delivery without an attempt, unless it waits because a party is suspended; 0 without one';
  collectedGauge(registry, { name, help }, seconds);
}
