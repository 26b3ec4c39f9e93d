import { setImmediate } from 'node:timers/promises';

/** Time of computing in one turn of the event loop. */
const SLICE_MS = 1;

/** Passes the elements of a computed series on, those of a millisecond in each turn of the event loop. */
export async function inSlices<Element>(series: Iterable<Element>, pass?: (element: Element) => void): Promise<void> {
  let begin = performance.now();
  for (const element of series) {
    pass?.(element);
    if (performance.now() - begin < SLICE_MS) continue;
    await setImmediate();
    begin = performance.now();
  }
}
