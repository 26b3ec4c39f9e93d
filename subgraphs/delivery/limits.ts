/** Limit that a running lane counts towards. */
export type LaneClass = 'quick' | 'urgent' | 'slow' | 'slow-urgent';

/** Limits on the lanes that run in this process at the same time. */
export interface LaneLimits {
  /** Returns whether a lane of an owner may start: once half of a class is taken, an owner gets at most a quarter of it. */
  admits(laneClass: LaneClass, owner: string): boolean;
  /** Counts a lane; the returned function ends the count. */
  enter(laneClass: LaneClass, owner: string): () => void;
}

/** Maximum lanes of each class: an attempt takes milliseconds at a quick endpoint, up to ten seconds at a slow one. */
export const MAX_LANES: Readonly<Record<LaneClass, number>> = { quick: 192, urgent: 96, slow: 256, 'slow-urgent': 128 };
const MAX_OWNER_SHARE = 1 / 4;

/** Returns the limits of a process. */
export function laneLimits(max: Readonly<Record<LaneClass, number>> = MAX_LANES): LaneLimits {
  const all: Record<LaneClass, number> = { quick: 0, urgent: 0, slow: 0, 'slow-urgent': 0 };
  const ofOwner = new Map<string, number>();
  const count = (laneClass: LaneClass, owner: string, change: 1 | -1) => {
    const key = `${laneClass} ${owner}`;
    const taken = (ofOwner.get(key) ?? 0) + change;
    all[laneClass] += change;
    if (taken === 0) ofOwner.delete(key);
    else ofOwner.set(key, taken);
  };
  return {
    admits(laneClass, owner) {
      if (all[laneClass] < max[laneClass] / 2) return true;
      const taken = ofOwner.get(`${laneClass} ${owner}`) ?? 0;
      return all[laneClass] < max[laneClass] && taken < max[laneClass] * MAX_OWNER_SHARE;
    },
    enter(laneClass, owner) {
      count(laneClass, owner, 1);
      return () => count(laneClass, owner, -1);
    },
  };
}
