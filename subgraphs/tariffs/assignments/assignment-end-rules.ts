import { assignmentAt } from './applied-tariff';
import type { RecordedAssignment } from './assignment-history';
import { type AssignmentOutcome, outcomeOf, rejected, stepsOf } from './assignment-rules';

/**
 * Decides on the end of an assignment. CNF001 if no tariff of the supplier is assigned at the instant; the message does not reveal
 * whether another supplier's tariff is. CNF001 also for an instant in the past after which another assignment started, even for an
 * admin: the end would take effect now, and end the coverage of consents that the next occupant has given. The end supersedes what the
 * supplier planned to start at the instant, since no tariff applies from then on, and its planned end, which it moves to the instant: that end
 * would end the tariff and the consents of the next occupant. CNF001 after an earlier end, which remains until it is withdrawn. At the start of another supplier's assignment, also a past
 * one, the losing supplier may end its own, unless it has assigned the MPxN again: only the consents at the losing supplier end.
 *
 * @param assignments as for `assignmentOutcome`
 * @param mpid the supplier that ends its assignment; null for an admin, who may end any
 */
export function endOutcome<Stored extends RecordedAssignment>(
  assignments: readonly Stored[],
  at: Date,
  mpid: string | null,
  now: Date,
): AssignmentOutcome<Stored> & { readonly mpid?: string } {
  const assigned = assignmentAt(assignments, at);
  const supplier = mpid ?? supplierToEnd(assignments, at, now);
  const { existing, end } = stepsOf(assignments, at, supplier);
  const isOfAnother = mpid !== null && existing?.mpid !== mpid;
  if (end !== undefined && (existing === undefined || isOfAnother)) return { kind: 'unchanged', existing: end };
  const former = formerAssignment(assignments, at);
  const moved = movedEnds(assignments, at, supplier, now);
  if (existing !== undefined && isOfAnother && former?.mpid === mpid && former.tariffId !== null)
    return hasStartedSince(assignments, at, now, mpid) ? rejected(...ENDED_LATE) : { ...outcomeOf(moved), mpid };
  if (assigned === undefined || (mpid !== null && assigned.mpid !== mpid))
    return rejected(
      'CNF001',
      'at',
      `must be an instant at which a tariff${mpid === null ? '' : ' of this supplier'} applies`,
    );
  if (assigned.tariffId === null) return rejected(...ENDED_BEFORE);
  if (hasStartedSince(assignments, at, now)) return rejected(...ENDED_LATE);
  if ((existing ?? end) !== undefined && at.getTime() <= now.getTime())
    return rejected('CNF001', 'at', 'must not be the start of an assignment that has already started');
  return { ...outcomeOf([existing, end, ...moved]), mpid: supplier };
}

const ENDED_LATE = ['CNF001', 'at', 'must not be in the past'] as const;
const ENDED_BEFORE = [
  ...(['CNF001', 'at'] as const),
  'must not be after the end of the assignment; assignTariff with withdrawsEnd at its instant withdraws a planned end',
] as const;

/** Returns the planned ends of a supplier after an instant that end no later assignment of it. */
function movedEnds<Stored extends RecordedAssignment>(
  assignments: readonly Stored[],
  at: Date,
  supplier: string | undefined,
  now: Date,
): readonly Stored[] {
  const later = assignments.filter(({ validFrom, mpid }) => mpid === supplier && validFrom.getTime() > at.getTime());
  const nextStart = Math.min(...later.flatMap((each) => (each.tariffId === null ? [] : [each.validFrom.getTime()])));
  return later.filter(
    ({ tariffId, validFrom }) =>
      tariffId === null && validFrom.getTime() > now.getTime() && validFrom.getTime() <= nextStart,
  );
}

/** Whether an assignment, of one supplier if given, has started after an instant. */
function hasStartedSince(assignments: readonly RecordedAssignment[], at: Date, now: Date, mpid?: string): boolean {
  return assignments.some(
    (each) =>
      each.tariffId !== null &&
      each.validFrom.getTime() > at.getTime() &&
      each.validFrom.getTime() <= now.getTime() &&
      (mpid === undefined || each.mpid === mpid),
  );
}

/**
 * Returns the supplier whose assignment an admin ends at an instant. A planned start at the instant is withdrawn, so that it is the
 * supplier whose tariff would continue.
 */
function supplierToEnd(assignments: readonly RecordedAssignment[], at: Date, now: Date): string | undefined {
  const assigned = assignmentAt(assignments, at);
  if (at.getTime() <= now.getTime()) return assigned?.mpid;
  const former = formerAssignment(assignments, at);
  return former?.tariffId == null ? assigned?.mpid : former.mpid;
}

/** Returns the newest assignment that started before an instant. */
function formerAssignment<Stored extends RecordedAssignment>(
  assignments: readonly Stored[],
  at: Date,
): Stored | undefined {
  return assignmentAt(
    assignments.filter(({ validFrom }) => validFrom.getTime() < at.getTime()),
    at,
  );
}
