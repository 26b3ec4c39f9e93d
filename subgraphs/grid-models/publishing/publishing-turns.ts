/** Publications take turns: one at a time in a process, so that their memory and their load have a bound. */
export interface PublishingTurns {
  /** Does the work when all that was given before is done. */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Takes a place among those who upload: the function leaves it. Undefined when all places are taken. */
  enter(): (() => void) | undefined;
}

/** Turns, with so many places for those who upload or wait for it. */
export function publishingTurns(places: number): PublishingTurns {
  let taken = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    take(work) {
      const done = last.then(work);
      last = done.catch(() => undefined); // told by whoever took the turn
      return done;
    },
    enter() {
      if (taken >= places) return undefined;
      taken += 1;
      return () => void (taken -= 1);
    },
  };
}
