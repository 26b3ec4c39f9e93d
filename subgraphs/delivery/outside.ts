import { LRUCache } from 'lru-cache';

/** Places for attempts that last: they go on without a worker, so that workers are free for others. */
export interface Outside {
  /**
   * Whether an attempt may begin. While half of the places are taken an owner has only a share of them: a small one for endpoints that are
   * slow, a larger one for those of which that is not known yet. Who owns an endpoint is learnt when it is told.
   */
  admits(endpointId: string, isSlow: boolean, owner?: string): boolean;
  /** Takes a place, which the function gives back; undefined when all are taken. */
  enter(owner: string): (() => void) | undefined;
}

/** Endpoints whose owners are remembered. */
const REMEMBERED = 10_000;
/** Places of a process, unless told otherwise: more than twice its workers, so that one owner never takes all. */
const PLACES = 256;
/** What part of the places an owner may have while half of all are taken. */
const SHARE = { slow: 1 / 32, others: 1 / 4 };

/** The places of a process. */
export function outsidePlaces(places = PLACES): Outside {
  const owners = new LRUCache<string, string>({ max: REMEMBERED });
  const taken = new Map<string, number>();
  let all = 0;
  const of = (owner: string) => taken.get(owner) ?? 0;
  const leave = (owner: string) => {
    all -= 1;
    if (of(owner) === 1) taken.delete(owner);
    else taken.set(owner, of(owner) - 1);
  };
  return {
    admits(endpointId, isSlow, told) {
      if (told !== undefined) owners.set(endpointId, told);
      if (all < places / 2) return true;
      if (isSlow && all >= places) return false;
      const owner = owners.get(endpointId);
      if (owner === undefined) return true;
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
