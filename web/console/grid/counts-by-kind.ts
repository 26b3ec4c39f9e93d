import type { ChangeCounts, ObjectChangeKind } from './operation-results';

/** Returns counts keyed by kind of change. */
export function countsByKind({ added, removed, changed }: ChangeCounts): Readonly<Record<ObjectChangeKind, number>> {
  return { ADDED: added, REMOVED: removed, CHANGED: changed };
}
