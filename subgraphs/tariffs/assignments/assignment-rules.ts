import type { Violation } from '../../../schema/register-error';
import { type Assignment, type TariffLink, assignmentAt } from './applied-tariff';

/** Effect of recording an assignment. `supersedes`: it withdraws the assignment that would start at the same instant. */
export type AssignmentOutcome =
  | { readonly kind: 'added' | 'unchanged' | 'supersedes' }
  | { readonly kind: 'rejected'; readonly violations: readonly Violation[] };

/** Who assigns, and the register's time. Admins are exempt from the rules between suppliers. */
interface AssignmentContext {
  readonly byAdmin: boolean;
  readonly now: Date;
}

/**
 * Decides on the assignment of a tariff: VAL003 from the end of its validity on. CNF001 if a supplier would withdraw another supplier's
 * future assignment, or assigns in the past although another supplier's tariff applied then or since. The end of an assignment protects
 * no supplier: the gaining supplier may supersede it.
 *
 * @param assignments of the MPxN: the newest one that has started at the instant, and those that started since
 */
export function assignmentOutcome(
  assignments: readonly Assignment[],
  assignment: Assignment,
  { validTo }: Pick<TariffLink, 'validTo'>,
  { byAdmin, now }: AssignmentContext,
): AssignmentOutcome {
  const [from, present] = [assignment.validFrom.getTime(), now.getTime()];
  if (validTo !== null && from >= validTo.getTime())
    return rejected('VAL003', 'from', 'must be before the end of the validity of the tariff');
  const outcome = startOutcome(assignments, assignment, now, 'from');
  if (byAdmin || outcome.kind === 'unchanged') return outcome;
  const existing = assignmentAt(assignments, assignment.validFrom);
  const isOther = ({ tariffId, mpid }: Assignment) => tariffId !== null && mpid !== assignment.mpid;
  const appliedSince = (each: Assignment) =>
    each === existing || (each.validFrom.getTime() > from && each.validFrom.getTime() <= present);
  if (from < present && assignments.some((each) => isOther(each) && appliedSince(each)))
    return rejected('CNF001', 'from', 'must not be in the past');
  if (outcome.kind === 'supersedes' && existing !== undefined && isOther(existing))
    return rejected('CNF001', 'from', 'must not be the start of an assignment of another supplier');
  return outcome;
}

/**
 * Decides on an assignment by its start time, which is unique per MPxN. It supersedes one that has not started yet; CNF001 if that one
 * has started, because history is never changed.
 *
 * @param path the input field with the start time
 */
export function startOutcome(
  assignments: readonly Assignment[],
  assignment: Assignment,
  now: Date,
  path: string,
): AssignmentOutcome {
  const existing = assignmentAt(assignments, assignment.validFrom);
  if (existing?.validFrom.getTime() !== assignment.validFrom.getTime()) return { kind: 'added' };
  if (existing.tariffId === assignment.tariffId && existing.mpid === assignment.mpid) return { kind: 'unchanged' };
  if (existing.validFrom.getTime() > now.getTime()) return { kind: 'supersedes' };
  return rejected('CNF001', path, 'must not be the start of an assignment that has already started');
}

/**
 * Decides on the end of an assignment. CNF001 if no tariff of the supplier is assigned at the instant; the message does not reveal
 * whether another supplier's tariff is.
 *
 * @param mpid the supplier that ends its assignment; null for an admin, who may end any
 */
export function endOutcome(
  assignments: readonly Assignment[],
  at: Date,
  mpid: string | null,
  now: Date,
): AssignmentOutcome & { readonly mpid?: string } {
  const assigned = assignmentAt(assignments, at);
  if (assigned === undefined || (mpid !== null && assigned.mpid !== mpid))
    return rejected(
      'CNF001',
      'at',
      `must be an instant at which a tariff${mpid === null ? '' : ' of this supplier'} applies`,
    );
  if (assigned.tariffId === null) return { kind: 'unchanged', mpid: assigned.mpid };
  const end: Assignment = { validFrom: at, tariffId: null, mpid: assigned.mpid };
  return { ...startOutcome(assignments, end, now, 'at'), mpid: assigned.mpid };
}

function rejected(code: Violation['code'], path: string, message: string): AssignmentOutcome {
  return { kind: 'rejected', violations: [{ code, path: [path], message }] };
}
