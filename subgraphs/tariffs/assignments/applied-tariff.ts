import {
  type Assignment,
  type Assignments,
  type RecordedAssignment,
  historyOf,
  takesEffectAt,
} from './assignment-history';

/** Validity and replacement of a tariff. */
export interface TariffLink {
  readonly validFrom: Date;
  readonly validTo: Date | null;
  /** The tariff that replaces it; at most one does. */
  readonly replacedBy: { readonly tariffId: string; readonly takesEffectAt: Date } | null;
}

/** Links of tariffs by their ids. */
export type TariffLinks = ReadonlyMap<string, TariffLink>;

/** The tariff assigned to an MPxN at an instant; its id is null after the end of an assignment. */
type AssignedTariff = Pick<Assignment, 'tariffId' | 'mpid'>;

/** Period from an instant on in which a tariff applies to an MPxN, or none does. */
export type TariffPeriod =
  | { readonly tariffId: string; readonly mpid: string; readonly at: Date }
  | {
      readonly tariffId: null;
      readonly at: Date;
      /** Instant from which no tariff applies, according to the last assignment. */
      readonly ceasedAt: Date;
      /** Whether an assignment ended; otherwise the assigned tariff is not valid. */
      readonly isEnd: boolean;
    };

/**
 * Returns the newest assignment that has started at an instant; undefined before the first. An end that does not count is ignored. At one
 * instant an assignment follows the end of the former one. SQL: `ends_assignment`.
 *
 * @param assignments at most one assignment, and one end of each supplier, per instant
 * @param mpid selects the assignments of a supplier
 */
export function assignmentAt<Stored extends RecordedAssignment>(
  assignments: Assignments<Stored>,
  at: Date,
  mpid?: string,
): Stored | undefined {
  return historyOf(assignments).at(at, mpid);
}

/**
 * Returns when the last assignment of a supplier ended, and when that of another supplier started which has not ended since, whether or not
 * its tariff was valid then. Both are equal without a gap: an assignment ends no later than the next one starts.
 *
 * @param former a supplier whose assignments have passed to another one at the instant
 */
export function gapAfter(
  former: string,
  assignments: Assignments<RecordedAssignment>,
  at: Date,
): { readonly endedAt: Date; readonly startedAt: Date } {
  const history = historyOf(assignments);
  const last = history.at(at, former);
  let startedAt = at;
  for (const each of history.startedAt(at)) {
    if (each.validFrom.getTime() < (last?.validFrom.getTime() ?? 0)) break;
    if (each.mpid === former) continue;
    if (each.tariffId === null && history.counts(each)) break;
    const takesEffect = takesEffectAt(each.validFrom, each.recordedAt);
    if (each.tariffId !== null && takesEffect.getTime() < startedAt.getTime()) startedAt = takesEffect;
  }
  const end = last?.tariffId === null ? takesEffectAt(last.validFrom, last.recordedAt) : startedAt;
  return { endedAt: end.getTime() < startedAt.getTime() ? end : startedAt, startedAt };
}

/** Follows the replacements of a tariff that have taken effect at an instant. Returns the id itself if none has. */
export function currentReplacement(tariffId: string, links: TariffLinks, at: Date): string {
  let current = tariffId;
  const visited = new Set<string>();
  for (;;) {
    const next = links.get(current)?.replacedBy;
    if (next == null || next.takesEffectAt.getTime() > at.getTime() || visited.has(next.tariffId)) return current;
    visited.add(current);
    current = next.tariffId;
  }
}

/** Whether a tariff is valid at an instant; `validTo` is exclusive. */
function isValidAt({ validFrom, validTo }: Pick<TariffLink, 'validFrom' | 'validTo'>, at: Date): boolean {
  return validFrom.getTime() <= at.getTime() && (validTo === null || at.getTime() < validTo.getTime());
}

/** Returns the tariff assigned at an instant, valid or not, with its replacements applied; undefined before the first assignment. */
export function assignedTariff(
  assignments: Assignments<RecordedAssignment>,
  links: TariffLinks,
  at: Date,
): AssignedTariff | undefined {
  const assignment = assignmentAt(assignments, at);
  if (assignment === undefined) return undefined;
  const { tariffId, mpid } = assignment;
  return { tariffId: tariffId === null ? null : currentReplacement(tariffId, links, at), mpid };
}

/** Returns the tariff that applies at an instant: null without an assignment, after its end, or if the tariff is not valid then. */
export function appliedTariff(
  assignments: Assignments<RecordedAssignment>,
  links: TariffLinks,
  at: Date,
): string | null {
  const tariffId = assignedTariff(assignments, links, at)?.tariffId ?? null;
  const link = tariffId === null ? undefined : links.get(tariffId);
  return link !== undefined && isValidAt(link, at) ? tariffId : null;
}

/** Returns what applies at an instant; undefined before the first assignment. An end takes effect no earlier than it was recorded. */
export function tariffPeriod(
  assignments: Assignments<RecordedAssignment>,
  links: TariffLinks,
  at: Date,
): TariffPeriod | undefined {
  const assignment = assignmentAt(assignments, at);
  if (assignment === undefined) return undefined;
  const tariffId = appliedTariff([assignment], links, at);
  if (tariffId !== null) return { tariffId, mpid: assignment.mpid, at };
  const isEnd = assignment.tariffId === null;
  const endedAt = takesEffectAt(assignment.validFrom, assignment.recordedAt);
  return { tariffId, at, ceasedAt: isEnd && endedAt.getTime() < at.getTime() ? endedAt : at, isEnd };
}

/**
 * Returns the first instant after another at which an assigned tariff, or one of its replacements, starts or ceases to be valid or is
 * replaced; null if there is none. Between two of these instants the applied tariff changes only by another assignment.
 */
export function nextBoundary(tariffId: string, links: TariffLinks, after: Date): Date | null {
  const visited = new Set<string>();
  const instants: number[] = [];
  for (let current: string | undefined = tariffId; current !== undefined && !visited.has(current);) {
    visited.add(current);
    const link = links.get(current);
    const bounds = link === undefined ? [] : [link.validFrom, link.validTo, link.replacedBy?.takesEffectAt];
    instants.push(...bounds.flatMap((bound) => bound?.getTime() ?? []));
    current = link?.replacedBy?.tariffId;
  }
  const next = Math.min(...instants.filter((instant) => instant > after.getTime()));
  return Number.isFinite(next) ? new Date(next) : null;
}
