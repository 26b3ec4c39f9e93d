import { setTimeout as wait } from 'node:timers/promises';

/** Waits so many milliseconds, or until the signal says that it is no longer worth it. */
export async function pause(milliseconds: number, end: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal: end }).catch(() => undefined); // aborted: who waits looks at the signal
}
