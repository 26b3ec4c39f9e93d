import { type TariffLinks, assignmentAt, nextBoundary, tariffPeriod } from '../assignments/applied-tariff';
import { type RecordedAssignment, AssignmentHistory } from '../assignments/assignment-history';
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

/** The assignments of an MPxN. */
export interface MpxnAssignments {
  /** Assignments that are applied. */
  readonly applied: AssignmentHistory<PendingAssignment>;
  /** Assignments that are not applied, in the order of their scheduled changes. */
  readonly pending: PendingAssignment[];
  /** Assignments whose changes are not completed, by the ids of the changes. */
  readonly ofChange: ReadonlyMap<string, PendingAssignment>;
}

/** Returns the assignments of an MPxN before the first check. Pass those that are not applied in the order of their scheduled changes. */
export function assignmentsBefore(assignments: readonly PendingAssignment[]): MpxnAssignments {
  const pending = assignments.filter(({ changeId }) => changeId !== null);
  const applied = new AssignmentHistory(assignments.filter(({ changeId }) => changeId === null));
  return { applied, pending, ofChange: new Map(pending.map((each) => [each.changeId ?? '', each])) };
}

/** A row of `tariff_standing`. */
export interface LastPublished extends PublishedTariff {
  readonly asOf: Date;
}

/** The stored data of the checked MPxNs, by hash in hexadecimal digits. */
export interface CheckState {
  /** Updated by each check. */
  readonly assignments: ReadonlyMap<string, MpxnAssignments>;
  /** Updated by each check. */
  readonly published: Map<string, LastPublished>;
  readonly links: TariffLinks;
  /** The places of the tariffs of `links`, computed once for all checks of a transaction: a chain has no maximum length. */
  readonly places: ChainPlaces;
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
  const pending = state.assignments.get(mpxnHash.toString('hex'))?.pending ?? [];
  const until = pending.findIndex((each) => each.changeId === changeId || !isDueAt(each, at));
  return pending
    .slice(0, until === -1 ? pending.length : until)
    .map((each) => ({ mpxnHash, at: each.dueAt ?? at, changeId: each.changeId }));
}

function isDueAt({ dueAt }: PendingAssignment, at: Date): boolean {
  return dueAt !== null && dueAt.getTime() <= at.getTime();
}

/** Applies the assignment of a check, if it is not applied yet. */
function applyAssignment({ mpxnHash, changeId }: TariffCheck, { assignments, applied }: CheckState): void {
  if (changeId === null || applied.has(changeId)) return;
  applied.add(changeId);
  const ofMpxn = assignments.get(mpxnHash.toString('hex'));
  const index = ofMpxn?.pending.findIndex((each) => each.changeId === changeId) ?? -1;
  if (index !== -1) ofMpxn?.pending.splice(index, 1).forEach((each) => ofMpxn.applied.add(each));
}

/** Returns the events of one check, dated at its instant or, if a later tariff is published already, at the instant of that. */
function eventsOfDifference(check: TariffCheck, state: CheckState): MpxnEvent[] {
  const { mpxnHash, at } = check;
  const { published, links } = state;
  applyAssignment(check, state);
  const mpxn = mpxnHash.toString('hex');
  const former = published.get(mpxn);
  const asOf = former !== undefined && former.asOf.getTime() > at.getTime() ? former.asOf : at;
  const assignments = effectiveAssignments(check, state);
  const next = tariffPeriod(assignments, links, asOf);
  const publishedNext = next && publishedAfter(former, next);
  if (next === undefined || publishedNext === undefined) return [];
  published.set(mpxn, { ...publishedNext, asOf });
  const events = eventsOfChange(former, next, replacedTariffs(next.tariffId, state.places), assignments);
  return events.map((event) => ({ ...event, mpxnHash, at: asOf }));
}

/**
 * Returns the assignments of an MPxN that are applied; at the check of an end also that of another supplier at its instant, so that the
 * change of supplier is no end.
 */
function effectiveAssignments(
  { mpxnHash, at, changeId }: TariffCheck,
  state: CheckState,
): AssignmentHistory<PendingAssignment> {
  const ofMpxn = state.assignments.get(mpxnHash.toString('hex'));
  if (ofMpxn === undefined) return new AssignmentHistory<PendingAssignment>([]);
  const { applied, pending, ofChange } = ofMpxn;
  const end = ofChange.get(changeId ?? '');
  if (end === undefined || end.tariffId !== null) return applied;
  const later = pending.findIndex((each) => !isDueAt(each, at));
  const due = pending.slice(0, later === -1 ? pending.length : later);
  return applied.with(due.filter(({ mpid }) => mpid !== end.mpid));
}

/** Place of a tariff in a chain of replacements: the first tariff of the chain, and how many replacements lead from it to this one. */
interface ChainPlace {
  readonly first: string;
  readonly length: number;
}

/** Places by the ids of tariffs. */
type ChainPlaces = ReadonlyMap<string, ChainPlace>;

/** Returns the places of tariffs in their chains of replacements. */
export function chainPlaces(links: TariffLinks): ChainPlaces {
  const places = new Map<string, ChainPlace>();
  const replacements = new Set([...links.values()].map(({ replacedBy }) => replacedBy?.tariffId));
  for (const first of links.keys()) {
    if (replacements.has(first)) continue;
    let current: string | undefined = first;
    for (let length = 0; current !== undefined; length += 1) {
      places.set(current, { first, length });
      current = links.get(current)?.replacedBy?.tariffId;
    }
  }
  return places;
}

/** Returns the ids of all tariffs that a tariff replaces directly or indirectly. */
function replacedTariffs(tariffId: string | null, places: ChainPlaces): Pick<ReadonlySet<string>, 'has'> {
  const place = places.get(tariffId ?? '');
  return {
    has(other) {
      const former = places.get(other);
      return former !== undefined && former.first === place?.first && former.length < place.length;
    },
  };
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
