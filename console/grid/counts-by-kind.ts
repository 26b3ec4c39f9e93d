import type { ChangeCounts, ObjectChangeKind } from './register-answers';

/** The counts of a change, each by the kind that it counts. */
export function countsByKind({ added, removed, changed }: ChangeCounts): Readonly<Record<ObjectChangeKind, number>> {
  return { ADDED: added, REMOVED: removed, CHANGED: changed };
}
