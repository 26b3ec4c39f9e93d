import { setTimeout as wait } from 'node:timers/promises';

/** Resolves after some milliseconds, or when the signal is aborted. */
export async function pause(milliseconds: number, end: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal: end }).catch(() => undefined); // aborted: the caller checks the signal
}
