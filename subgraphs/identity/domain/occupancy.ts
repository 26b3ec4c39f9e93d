/**
 * Where a person's time at a meter point lies. The current occupancy begins at the latest effective Change of Tenancy
 * (2-decisions-a-b.md, section 4): who moved in before it has left, who moves in after the present day is yet to come.
 */
export type Occupancy = 'current' | 'ended' | 'to-come';

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

/** The day on which the occupancy that began on a day ended: of the first Change of Tenancy after it, null when there is none. */
export function endOfOccupancy(since: string, changes: readonly string[]): string | null {
  return changes.find((day) => day > since) ?? null;
}

/**
 * Whether a customer may take a ceremony. Only the current occupant is re-identified; who is yet to come may be enrolled by the
 * record's own Data User, which vouches.
 */
export function admitsCeremony(occupancy: Occupancy, { vouched }: { readonly vouched: boolean }): boolean {
  return occupancy === 'current' || (occupancy === 'to-come' && vouched);
}
