/** When a delivery is tried again: seconds after the first, second, … send that failed. One send more than delays, then it is given up. */
export interface RetrySchedule {
  readonly delays: readonly number[];
}

/**
 * Seconds after a failed send until the next one; undefined when it was the last. What the receiver asked for by `Retry-After` is
 * honoured within the schedule: never earlier than the schedule says, and never later than its longest delay.
 *
 * @param made sends of the schedule that were made before this one
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
