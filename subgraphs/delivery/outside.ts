/** Places for attempts that last: they go on without a worker, so that workers are free for others. */
export interface Outside {
  /**
   * Whether an attempt may begin. While half of the places are taken an owner has only a share of them: a small one for endpoints that are
   * slow, a larger one for those of which that is not known yet.
   */
  admits(owner: string, isSlow: boolean): boolean;
  /** Takes a place, which the function gives back; undefined when all are taken. */
  enter(owner: string): (() => void) | undefined;
}

/** Places of a process, unless told otherwise: more than twice its workers, so that one owner never takes all. */
const PLACES = 256;
/** What part of the places an owner may have while half of all are taken. */
const SHARE = { slow: 1 / 32, others: 1 / 4 };

/** The places of a process. */
export function outsidePlaces(places = PLACES): Outside {
  const taken = new Map<string, number>();
  let all = 0;
  const of = (owner: string) => taken.get(owner) ?? 0;
  const leave = (owner: string) => {
    all -= 1;
    if (of(owner) === 1) taken.delete(owner);
    else taken.set(owner, of(owner) - 1);
  };
  return {
    admits(owner, isSlow) {
      if (all < places / 2) return true;
      if (isSlow && all >= places) return false;
      return of(owner) < places * (isSlow ? SHARE.slow : SHARE.others);
    },
    enter(owner) {
      if (all >= places) return undefined;
      all += 1;
      taken.set(owner, of(owner) + 1);
      return () => leave(owner);
    },
  };
}
