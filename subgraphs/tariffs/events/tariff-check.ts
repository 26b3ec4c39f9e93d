import {
  type RecordedAssignment,
  type TariffLinks,
  assignmentAt,
  nextBoundary,
  tariffPeriod,
} from '../assignments/applied-tariff';
import { type NewTariffEvent, type PublishedTariff, eventsOfChange, publishedAfter } from './tariff-event';

/** A check of the tariff that applies to an MPxN at an instant. */
export interface TariffCheck {
  readonly mpxnHash: Buffer;
  readonly at: Date;
  /** The scheduled change whose assignment takes effect with this check; null for a check with another cause. */
  readonly changeId: string | null;
}

/** An assignment, and the scheduled change that applies it; null if it is applied already. */
export interface PendingAssignment extends RecordedAssignment {
  readonly changeId: string | null;
  readonly dueAt: Date | null;
}

/** A row of `tariff_standing`. */
export interface LastPublished extends PublishedTariff {
  readonly asOf: Date;
}

/** The stored data of the checked MPxNs, by hash in hexadecimal digits. */
export interface CheckState {
  /** Assignments that are not applied are in the order of their scheduled changes. */
  readonly assignments: ReadonlyMap<string, readonly PendingAssignment[]>;
  /** Updated by each check. */
  readonly published: Map<string, LastPublished>;
  readonly links: TariffLinks;
  /** Changes of assignments that the checks have applied. */
  readonly applied: Set<string>;
}

/** An event of an MPxN, and when it took effect. */
export interface MpxnEvent extends NewTariffEvent {
  readonly mpxnHash: Buffer;
  readonly at: Date;
}

/**
 * Returns the events of a check. The assignments of the MPxN that are due before it are applied first, also if their own changes failed and
 * are rescheduled: otherwise no event would report an end after which the next assignment applies.
 */
export function eventsOfCheck(check: TariffCheck, state: CheckState): MpxnEvent[] {
  return [...pendingBefore(check, state), check].flatMap((each) => eventsOfDifference(each, state));
}

/** Returns the checks of assignments of the MPxN that are due before a check and not applied. */
function pendingBefore({ mpxnHash, at, changeId }: TariffCheck, state: CheckState): readonly TariffCheck[] {
  const pending = assignmentsOf(mpxnHash, state).flatMap(({ changeId: id, dueAt }) =>
    id === null || dueAt === null || dueAt.getTime() > at.getTime() || state.applied.has(id)
      ? []
      : [{ mpxnHash, at: dueAt, changeId: id }],
  );
  const own = pending.findIndex((each) => each.changeId === changeId);
  return own === -1 ? pending : pending.slice(0, own);
}

/** Returns the events of one check, dated at its instant or, if a later tariff is published already, at the instant of that. */
function eventsOfDifference(check: TariffCheck, state: CheckState): MpxnEvent[] {
  const { mpxnHash, at, changeId } = check;
  const { published, links, applied } = state;
  if (changeId !== null) applied.add(changeId);
  const mpxn = mpxnHash.toString('hex');
  const former = published.get(mpxn);
  const asOf = former !== undefined && former.asOf.getTime() > at.getTime() ? former.asOf : at;
  const assignments = effectiveAssignments(check, state);
  const next = tariffPeriod(assignments, links, asOf);
  const publishedNext = next && publishedAfter(former, next);
  if (next === undefined || publishedNext === undefined) return [];
  published.set(mpxn, { ...publishedNext, asOf });
  const events = eventsOfChange(former, next, replacedTariffs(next.tariffId, links), assignments);
  return events.map((event) => ({ ...event, mpxnHash, at: asOf }));
}

/**
 * Returns the assignments of an MPxN that are applied; at the check of an end also that of another supplier at its instant, so that the
 * change of supplier is no end.
 */
function effectiveAssignments(
  { mpxnHash, at, changeId }: TariffCheck,
  state: CheckState,
): readonly PendingAssignment[] {
  const ofMpxn = assignmentsOf(mpxnHash, state);
  const end = ofMpxn.find((each) => each.changeId === changeId && changeId !== null && each.tariffId === null);
  const isDue = ({ dueAt, mpid }: PendingAssignment) =>
    end !== undefined && end.mpid !== mpid && dueAt !== null && dueAt.getTime() <= at.getTime();
  return ofMpxn.filter((each) => each.changeId === null || state.applied.has(each.changeId) || isDue(each));
}

function assignmentsOf(mpxnHash: Buffer, { assignments }: CheckState): readonly PendingAssignment[] {
  return assignments.get(mpxnHash.toString('hex')) ?? [];
}

/** Returns the ids of all tariffs that a tariff replaces directly or indirectly. */
function replacedTariffs(tariffId: string | null, links: TariffLinks): ReadonlySet<string> {
  const formerOf = new Map(
    [...links].flatMap(([former, { replacedBy: next }]) => (next ? [[next.tariffId, former]] : [])),
  );
  const replaced = new Set<string>();
  for (let former = formerOf.get(tariffId ?? ''); former !== undefined && !replaced.has(former);) {
    replaced.add(former);
    former = formerOf.get(former);
  }
  return replaced;
}

/** An instant in the past for which an MPxN must be checked. */
export interface Recheck {
  readonly mpxnHash: Buffer;
  readonly at: Date;
}

/**
 * Returns for each MPxN the first instant after its last check at which its tariff starts or ceases to apply. If the instant has passed,
 * the change of the tariff may be applied already, without the MPxN: its assignment was committed late, or failed.
 */
export function rechecksOf(checks: readonly TariffCheck[], state: CheckState): readonly Recheck[] {
  const latest = new Map(checks.map((check) => [check.mpxnHash.toString('hex'), check]));
  return [...latest].flatMap(([mpxn, check]) => {
    const asOf = state.published.get(mpxn)?.asOf;
    const after = asOf !== undefined && asOf.getTime() > check.at.getTime() ? asOf : check.at;
    const tariffId = assignmentAt(effectiveAssignments(check, state), after)?.tariffId;
    const at = tariffId == null ? null : nextBoundary(tariffId, state.links, after);
    return at === null ? [] : [{ mpxnHash: check.mpxnHash, at }];
  });
}
