import { IANAZone } from 'luxon';
import { HALF_HOUR } from './half-hours';

const LONDON = IANAZone.create('Europe/London');
const MINUTE = 60_000;
const WEEK = 7 * 24 * 60 * MINUTE;

/** A time in which the clocks of Great Britain do not change; instants in milliseconds, half-open. */
export interface OffsetSpan {
  readonly from: number;
  readonly to: number;
  /** Milliseconds that wall time is ahead of UTC. */
  readonly offset: number;
}

/** Milliseconds that wall time in Great Britain is ahead of UTC at an instant (in milliseconds). */
export function londonOffset(at: number): number {
  return LONDON.offset(at) * MINUTE;
}

/**
 * Cuts a range where the clocks change. Asking for an offset is slow, so it is asked once a week (changes have never lain closer) and each
 * change is searched on the half-hours of UTC, on which all since 1900 lie.
 */
export function offsetSpans(from: number, to: number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  for (let begin = from; begin < to;) {
    const offset = londonOffset(begin);
    const end = changeWithin(begin, to, offset);
    spans.push({ from: begin, to: end, offset });
    begin = end;
  }
  return spans;
}

/** The first instant of a range at which the offset is another than at its begin; its end when there is none. */
function changeWithin(from: number, to: number, offset: number): number {
  for (let begin = from; begin < to; begin += WEEK) {
    const end = Math.min(begin + WEEK, to);
    if (londonOffset(end) !== offset) return changeBetween(begin, end, offset);
  }
  return to;
}

function changeBetween(from: number, to: number, offset: number): number {
  let before = Math.floor(from / HALF_HOUR);
  let after = Math.floor(to / HALF_HOUR);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (londonOffset(middle * HALF_HOUR) === offset) before = middle;
    else after = middle;
  }
  return after * HALF_HOUR;
}
