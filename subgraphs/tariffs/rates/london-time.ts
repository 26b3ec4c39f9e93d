import { IANAZone } from 'luxon';

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
 * and finds each change by binary search, to the millisecond: London changed from local mean time on 1847-12-01 at 00:01:15 UTC.
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

/** Returns the first instant at which the offset differs from the one at `from`; it differs at `to`. */
function changeBetween(from: number, to: number, offset: number): number {
  let [before, after] = [from, to];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (londonOffset(middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}
