const BOUND = Number.MAX_SAFE_INTEGER;

/** Message of VAL003 for a number that is not exact. */
export const INEXACT_NUMBER = `is not a number from -${BOUND} to ${BOUND}: send it as a string`;

/**
 * Returns whether a number that JSON.parse returned has the integer digits of its text. A larger number has lost digits, or is Infinity,
 * which JSON.stringify writes as null.
 */
export function isExactNumber(value: number): boolean {
  return Math.abs(value) <= BOUND;
}
