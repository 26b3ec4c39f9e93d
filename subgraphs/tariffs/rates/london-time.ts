import { IANAZone } from 'luxon';
import { HALF_HOUR_MS } from './half-hours';

const LONDON = IANAZone.create('Europe/London');
const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

/** A half-open period in which British clocks do not change; instants in milliseconds since 1970. */
interface OffsetSpan {
  readonly from: number;
  readonly to: number;
  /** Milliseconds by which wall time is ahead of UTC. */
  readonly offset: number;
}

/** Returns the milliseconds by which British wall time is ahead of UTC at an instant in milliseconds since 1970. */
export function londonOffset(at: number): number {
  return LONDON.offset(at) * MINUTE_MS;
}

/**
 * Splits a range where the clocks change. A lookup of an offset is slow, so this function samples one per week (changes were never closer)
 * and finds each change by binary search over the half-hours of UTC (all changes since 1900 fall on one).
 */
export function offsetSpans(from: number, to: number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  for (let startsAt = from; startsAt < to;) {
    const offset = londonOffset(startsAt);
    const end = changeWithin(startsAt, to, offset);
    spans.push({ from: startsAt, to: end, offset });
    startsAt = end;
  }
  return spans;
}

/** Returns the first instant of a range at which the offset differs from the one at its start; the end of the range if none does. */
function changeWithin(from: number, to: number, offset: number): number {
  for (let startsAt = from; startsAt < to; startsAt += WEEK_MS) {
    const end = Math.min(startsAt + WEEK_MS, to);
    if (londonOffset(end) !== offset) return changeBetween(startsAt, end, offset);
  }
  return to;
}

function changeBetween(from: number, to: number, offset: number): number {
  let before = Math.floor(from / HALF_HOUR_MS);
  let after = Math.floor(to / HALF_HOUR_MS);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (londonOffset(middle * HALF_HOUR_MS) === offset) before = middle;
    else after = middle;
  }
  return after * HALF_HOUR_MS;
}
