/** Runs the publications of one process one after the other, which bounds memory and load. */
export interface PublicationQueue {
  /** Runs `work` after all earlier calls have settled. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Reserves one of the places for uploads. Returns a function that releases it, or undefined if none is free. */
  reserve(): (() => void) | undefined;
}

/** Creates a queue that admits `places` uploads, including waiting ones. */
export function publicationQueue(places: number): PublicationQueue {
  let taken = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(work) {
      const done = last.then(work);
      last = done.catch(() => undefined); // the caller of `run` receives the error
      return done;
    },
    reserve() {
      if (taken >= places) return undefined;
      taken += 1;
      return () => void (taken -= 1);
    },
  };
}
