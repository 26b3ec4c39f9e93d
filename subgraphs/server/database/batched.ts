import { isChecking } from './check-only';

/** Bounds of the calls that {@link batched} makes. */
interface BatchOptions {
  /** Maximum items of one call. */
  readonly maxSize: number;
  /** Maximum calls at the same time. */
  readonly concurrency: number;
  /** Minimum time between the starts of two calls that are not full; 0 by default. */
  readonly intervalMs?: number;
}

/**
 * Batches items that are submitted in one event-loop tick, or while `concurrency` calls are running. An idle system adds
 * no delay, and batches grow with the load. A failed call rejects every item of its batch.
 *
 * @param work returns the results of the items, in their order
 */
export function batched<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  { maxSize, concurrency, intervalMs = 0 }: BatchOptions,
): (item: Item) => Promise<Result> {
  const waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  let running = 0;
  let isScheduled = false;
  let startedAt = -intervalMs;
  const run = async () => {
    isScheduled = false;
    startedAt = performance.now();
    const batch = waiting.splice(0, maxSize);
    running += 1;
    try {
      const results = await work(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      batch.forEach(({ reject }) => reject(error));
    } finally {
      running -= 1;
      schedule();
    }
  };
  const schedule = () => {
    if (isScheduled || running >= concurrency || waiting.length === 0) return;
    isScheduled = true;
    const delayMs = startedAt + intervalMs - performance.now();
    if (delayMs > 0 && waiting.length < maxSize) setTimeout(() => void run(), delayMs);
    else setImmediate(() => void run());
  };
  return async (item) => {
    if (isChecking()) return (await work([item]))[0] as Result; // a batch belongs to several requests
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
  };
}
