/**
 * Returns a function that shares reads between its concurrent callers: one read at a time, and all calls during it receive the result of the
 * next one. So each result is read after its call, and any number of callers costs no more than one that repeats its call.
 */
export function sharedRead<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | undefined;
  const begin = () => {
    next = undefined;
    return read();
  };
  return () => {
    if (next !== undefined) return next;
    const following = last.then(begin, begin);
    next = following;
    last = following;
    return following;
  };
}
