import { Histogram, Registry } from 'prom-client';
import { askedGauge } from '../../server/asked-gauge';

/** Seconds; 3,600 is the bound (3-decisions-c-d.md, D.3). */
const BUCKETS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 1_800, 3_600, 7_200];

/**
 * Counts how many milliseconds after an event took effect the first attempt at a delivery of it began; those that were put off before
 * it, since somebody was suspended or something was away, are counted under a label of their own.
 */
export type EventDelay = (delayMs: number, wasHeld: boolean) => void;

/** Counts the first attempts in a registry, by `held`. */
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
 * What the histogram does not know yet: the age of the oldest delivery that waits for its first attempt.
 *
 * @param seconds asked when the registry is read; 0 when none waits
 */
export function measureUnattempted(seconds: () => Promise<number>, registry: Registry): void {
  const name = 'register_tariff_delivery_unattempted_seconds';
  const help =
    'Age of the oldest pending delivery without an attempt, unless it waits because somebody is suspended; 0 without one';
  askedGauge(registry, { name, help }, seconds);
}
