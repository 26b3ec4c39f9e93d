import { setImmediate as onImmediate } from 'node:timers';
import { setImmediate } from 'node:timers/promises';

/** Time of computing in one turn of the event loop, of all series together. */
const SLICE_MS = 1;

/** When the slice of this turn of the event loop began; undefined before it. */
let began: number | undefined;
/** Resolves in the turn of the event loop in which the last of the waiting series continues. */
let latest: Promise<unknown> = Promise.resolve();

/**
 * Passes the elements of a computed series on, those of a millisecond in each turn of the event loop. Series that are computed at the same
 * time share it: they continue one after another.
 */
export async function inSlices<Element>(series: Iterable<Element>, pass?: (element: Element) => void): Promise<void> {
  while (isSliceOver()) await nextSlice();
  for (const element of series) {
    pass?.(element);
    while (isSliceOver()) await nextSlice();
  }
}

/** Computes the result of each element, those of a millisecond in each turn of the event loop, as {@link inSlices} does. */
export async function mappedInSlices<Element, Result>(
  series: Iterable<Element>,
  map: (element: Element) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  await inSlices(series, (element) => results.push(map(element)));
  return results;
}

function isSliceOver(): boolean {
  if (began !== undefined) return performance.now() - began >= SLICE_MS;
  began = performance.now();
  onImmediate(() => (began = undefined));
  return false;
}

/** Waits for the turn of the event loop after that in which the last of the waiting series continues. */
function nextSlice(): Promise<unknown> {
  latest = latest.then(() => setImmediate());
  return latest;
}
