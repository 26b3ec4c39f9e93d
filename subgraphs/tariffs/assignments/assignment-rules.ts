import type { Violation } from '../../../schema/register-error';
import { type Assignment, type RecordedAssignment, type TariffLink, assignmentAt } from './applied-tariff';

/**
 * Effect of recording an assignment. `unchanged`: the equal stored one remains. `supersedes`: it withdraws assignments that would start at
 * the same instant.
 */
export type AssignmentOutcome<Stored extends RecordedAssignment = RecordedAssignment> =
  | { readonly kind: 'added' }
  | { readonly kind: 'unchanged'; readonly existing: Stored }
  | { readonly kind: 'supersedes'; readonly superseded: readonly Stored[] }
  | { readonly kind: 'rejected'; readonly violations: readonly Violation[] };

/** Who assigns, and the register's time. Admins are exempt from the rules between suppliers. */
interface AssignmentContext {
  readonly byAdmin: boolean;
  readonly now: Date;
  /** Whether the assignment withdraws the planned end of the supplier's former assignment at the same instant. */
  readonly withdrawsEnd?: boolean;
}

/**
 * Decides on the assignment of a tariff: VAL003 from the end of its validity on. CNF001 if a supplier would withdraw another supplier's
 * future assignment, or assigns in the past although another supplier's tariff applied then or since. The end of an assignment protects
 * no supplier: the gaining supplier may assign at its instant.
 *
 * @param assignments of the MPxN: those since the newest one before the instant that was recorded in time, and those that started since
 */
export function assignmentOutcome<Stored extends RecordedAssignment>(
  assignments: readonly Stored[],
  assignment: Assignment,
  { validTo }: Pick<TariffLink, 'validTo'>,
  context: AssignmentContext,
): AssignmentOutcome<Stored> {
  const { validFrom, mpid } = assignment;
  if (validTo !== null && validFrom.getTime() >= validTo.getTime())
    return rejected('VAL003', 'from', 'must be before the end of the validity of the tariff');
  const outcome = startOutcome(assignments, assignment, context);
  if (context.byAdmin || outcome.kind === 'unchanged') return outcome;
  if (hasAppliedSince(assignments, validFrom, context.now, mpid))
    return rejected('CNF001', 'from', 'must not be in the past');
  if (outcome.kind === 'supersedes' && outcome.superseded.some((each) => each.tariffId !== null && each.mpid !== mpid))
    return rejected('CNF001', 'from', 'must not be the start of an assignment of another supplier');
  return outcome;
}

/** Whether an instant is in the past and a tariff of another supplier applied then or since. */
function hasAppliedSince(assignments: readonly RecordedAssignment[], from: Date, now: Date, mpid: string): boolean {
  if (from.getTime() >= now.getTime()) return false;
  const existing = assignmentAt(assignments, from);
  return assignments.some((each) => {
    const isSince = each.validFrom.getTime() > from.getTime() && each.validFrom.getTime() <= now.getTime();
    return each.tariffId !== null && each.mpid !== mpid && (each === existing || isSince);
  });
}

/**
 * Decides on an assignment by its start time: an MPxN has at most one assignment, and one end of each supplier, per instant. The assignment
 * supersedes one that has not started yet; CNF001 if that one has started, because history is never changed. It follows an end at the same
 * instant, which remains, so that the consents of the former occupant end; on request it withdraws the planned end of its own supplier.
 */
export function startOutcome<Stored extends RecordedAssignment>(
  assignments: readonly Stored[],
  assignment: Assignment,
  { now, withdrawsEnd = false }: Pick<AssignmentContext, 'now' | 'withdrawsEnd'>,
): AssignmentOutcome<Stored> {
  const { existing, end } = stepsOf(assignments, assignment.validFrom, assignment.mpid);
  const hasStarted = assignment.validFrom.getTime() <= now.getTime();
  if (withdrawsEnd && end !== undefined && hasStarted)
    return rejected('CNF001', 'withdrawsEnd', 'must be false, because the end has already taken effect');
  const isEqual = existing?.tariffId === assignment.tariffId && existing?.mpid === assignment.mpid;
  const supersedesEnd = withdrawsEnd && end !== undefined;
  if (existing !== undefined && isEqual && !supersedesEnd) return { kind: 'unchanged', existing };
  if (existing !== undefined && hasStarted)
    return rejected('CNF001', 'from', 'must not be the start of an assignment that has already started');
  return outcomeOf([existing, supersedesEnd ? end : undefined]);
}

/**
 * Decides on the end of an assignment. CNF001 if no tariff of the supplier is assigned at the instant; the message does not reveal
 * whether another supplier's tariff is. CNF001 also for an instant in the past after which another assignment started, even for an
 * admin: the end would take effect now, and end the coverage of consents that the next occupant has given. The end supersedes what the
 * supplier planned to start at the instant, since no tariff applies from then on. At the start of another supplier's assignment, also a past
 * one, the losing supplier may end its own, unless it has assigned the MPxN again: only the consents at the losing supplier end.
 *
 * @param assignments as for {@link assignmentOutcome}
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
  if (existing !== undefined && isOfAnother && former?.mpid === mpid && former.tariffId !== null)
    return hasStartedSince(assignments, at, now, mpid) ? rejected(...ENDED_LATE) : { kind: 'added', mpid };
  if (assigned === undefined || (mpid !== null && assigned.mpid !== mpid))
    return rejected(
      'CNF001',
      'at',
      `must be an instant at which a tariff${mpid === null ? '' : ' of this supplier'} applies`,
    );
  if (assigned.tariffId === null) return { kind: 'unchanged', existing: assigned };
  if (hasStartedSince(assignments, at, now)) return rejected(...ENDED_LATE);
  if ((existing ?? end) !== undefined && at.getTime() <= now.getTime())
    return rejected('CNF001', 'at', 'must not be the start of an assignment that has already started');
  return { ...outcomeOf([existing, end]), mpid: supplier };
}

const ENDED_LATE = ['CNF001', 'at', 'must not be in the past'] as const;

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

/** Returns the assignment that starts at an instant, and the end of a supplier at that instant. */
function stepsOf<Stored extends RecordedAssignment>(
  assignments: readonly Stored[],
  at: Date,
  ofSupplier: string | undefined,
): { existing: Stored | undefined; end: Stored | undefined } {
  const steps = assignments.filter(({ validFrom }) => validFrom.getTime() === at.getTime());
  return {
    existing: steps.find(({ tariffId }) => tariffId !== null),
    end: steps.find(({ tariffId, mpid }) => tariffId === null && mpid === ofSupplier),
  };
}

function outcomeOf<Stored extends RecordedAssignment>(
  steps: readonly (Stored | undefined)[],
): AssignmentOutcome<Stored> {
  const superseded = steps.filter((step) => step !== undefined);
  return superseded.length === 0 ? { kind: 'added' } : { kind: 'supersedes', superseded };
}

function rejected(code: Violation['code'], path: string, message: string): AssignmentOutcome<never> {
  return { kind: 'rejected', violations: [{ code, path: [path], message }] };
}
