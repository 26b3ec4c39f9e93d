import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds without progress after which a bench has failed. */
const LONGEST_SILENCE = 60_000;
/** Milliseconds between two lines about the same count, and between two reads of it. */
const LINE_EVERY = 5_000;
const POLL_INTERVAL_MS = 5;

let last = { at: performance.now(), line: '' };

/** Prints the current step, which counts as progress. */
export function progress(line: string): void {
  console.log(`  ${line}`);
  goesOn(line);
}

/** Records progress without printing. */
export function goesOn(what: string): void {
  last = { at: performance.now(), line: what };
}

/** Waits until a count reaches a number. Each increase is progress, printed every few seconds. */
export async function reached(what: string, wanted: number, present: () => number | Promise<number>): Promise<void> {
  let before = -1;
  let printed = performance.now();
  for (;;) {
    const now = await present();
    if (now >= wanted) return;
    if (now !== before) goesOn(`${now} of ${wanted} ${what}`);
    before = now;
    if (performance.now() - printed > LINE_EVERY) {
      console.log(`  ${now} of ${wanted} ${what}`);
      printed = performance.now();
    }
    await pause(POLL_INTERVAL_MS);
  }
}

/** Runs a bench; rejects if it makes no progress for a minute, or if a promise without a handler rejects. */
export async function watched<Result>(work: () => Promise<Result>): Promise<Result> {
  last = { at: performance.now(), line: 'nothing yet' };
  let fail: (reason: unknown) => void = () => undefined;
  const failure = new Promise<never>((_, reject) => (fail = reject));
  const watchdog = setInterval(() => {
    if (performance.now() - last.at <= LONGEST_SILENCE) return;
    fail(new Error(`no progress for ${LONGEST_SILENCE / 1000} seconds; the last was: ${last.line}`));
  }, 500);
  process.on('unhandledRejection', fail);
  try {
    return await Promise.race([work(), failure]);
  } finally {
    clearInterval(watchdog);
    process.off('unhandledRejection', fail);
  }
}
