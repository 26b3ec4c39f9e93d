/**
 * Where a person's time at a meter point lies. The current occupancy begins at the latest effective Change of Tenancy
 * (2-decisions-a-b.md, section 4): who moved in before it has left, who moves in after the present day is yet to come.
 */
export type Occupancy = 'current' | 'ended' | 'to-come';

/** A Change of Tenancy that has taken effect. */
export interface TenancyChange {
  /** Its day, `YYYY-MM-DD`. */
  readonly day: string;
  /** The instant at which the occupancy began: `occupancy_begins` of the database says how it is found. */
  readonly began: Date;
}

/** What decides it, as calendar dates `YYYY-MM-DD` in Great Britain. */
export interface OccupancyDays {
  readonly moveInDate: string;
  /** Day of the latest effective Change of Tenancy; null when there never was one. */
  readonly occupiedSince: string | null;
  readonly today: string;
}

/** The occupancy of a person who moves in on a day. */
export function occupancyOf({ moveInDate, occupiedSince, today }: OccupancyDays): Occupancy {
  if (moveInDate > today) return 'to-come';
  return occupiedSince === null || moveInDate >= occupiedSince ? 'current' : 'ended';
}

/** The change that began the tenancy in which a day lies; undefined in the one before the first. `changes` the earliest first. */
export function changeBefore<Change extends Pick<TenancyChange, 'day'>>(
  day: string,
  changes: readonly Change[],
): Change | undefined {
  return changes.findLast((change) => change.day <= day);
}

/** The change that ended the tenancy in which a day lies; undefined while it lasts. `changes` the earliest first. */
export function changeAfter<Change extends Pick<TenancyChange, 'day'>>(
  day: string,
  changes: readonly Change[],
): Change | undefined {
  return changes.find((change) => change.day > day);
}

/** The name of a tenancy of a meter point: the day of the change that began it, empty for the one before the first. */
export function tenancyOf(day: string, changes: readonly Pick<TenancyChange, 'day'>[]): string {
  return changeBefore(day, changes)?.day ?? '';
}

/**
 * Whether a customer may take a ceremony. Only the current occupant is re-identified; who is yet to come may be enrolled by the
 * record's own Data User, which vouches.
 */
export function admitsCeremony(occupancy: Occupancy, { vouched }: { readonly vouched: boolean }): boolean {
  return occupancy === 'current' || (occupancy === 'to-come' && vouched);
}
