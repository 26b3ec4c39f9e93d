/** Seconds between a failed attempt and the next one. A delivery has one attempt more than there are delays; then it is undelivered. */
export interface RetrySchedule {
  readonly delays: readonly number[];
}

/**
 * Returns the seconds between a failed attempt and the next; undefined if it was the last. `Retry-After` of the receiver
 * can lengthen a delay up to the longest delay of the schedule. It never shortens a delay.
 *
 * @param made number of attempts before the failed one
 */
export function secondsToNext(
  { delays }: RetrySchedule,
  made: number,
  retryAfterSeconds: number | null = null,
): number | undefined {
  const delay = delays[made];
  if (delay === undefined) return undefined;
  return Math.max(delay, Math.min(retryAfterSeconds ?? 0, Math.max(...delays)));
}
