/** Time that requests, jobs and deliveries under way have to end, from the signal that stops the process. */
export const GRACE_PERIOD_MS = 5_000;

/** Returns the signal of a stop that begins now and waits no longer than {@link GRACE_PERIOD_MS}. */
export const graceful = (): AbortSignal => AbortSignal.timeout(GRACE_PERIOD_MS);

/** Resolves to true when `ending` resolves, or to false if `forced` aborts first. */
export function endsBefore(forced: AbortSignal, ending: Promise<unknown>): Promise<boolean> {
  const late = new Promise<false>((resolve) => {
    if (forced.aborted) resolve(false);
    forced.addEventListener('abort', () => resolve(false), { once: true });
  });
  return Promise.race([ending.then(() => true), late]);
}
