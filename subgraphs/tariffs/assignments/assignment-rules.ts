import type { Violation } from '../../../schema/register-error';
import { type TariffLink, assignmentAt } from './applied-tariff';
import type { Assignment, RecordedAssignment } from './assignment-history';

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
 * @param assignments of the MPxN: those since the newest one before the instant that was recorded in time, those that started since, and the
 *   planned ones
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

/** Returns the assignment that starts at an instant, and the end of a supplier at that instant. */
export function stepsOf<Stored extends RecordedAssignment>(
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

/** Returns the outcome that withdraws the given steps. */
export function outcomeOf<Stored extends RecordedAssignment>(
  steps: readonly (Stored | undefined)[],
): AssignmentOutcome<Stored> {
  const superseded = steps.filter((step) => step !== undefined);
  return superseded.length === 0 ? { kind: 'added' } : { kind: 'supersedes', superseded };
}

/** Returns the outcome of one violation. */
export function rejected(code: Violation['code'], path: string, message: string): AssignmentOutcome<never> {
  return { kind: 'rejected', violations: [{ code, path: [path], message }] };
}
