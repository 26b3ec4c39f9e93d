/** Milliseconds by which the clock of a client may be ahead of the register's (decisions A/B, 3). */
const CLIENT_CLOCK_TOLERANCE_MS = 5 * 60_000;

/** Returns whether an instant that a client supplied is in the future, with the tolerance for its clock. */
export function isInFuture(at: Date, now: Date): boolean {
  return at.getTime() > now.getTime() + CLIENT_CLOCK_TOLERANCE_MS;
}
