import type { OccupantRecord } from './occupancy';

type Age = Pick<OccupantRecord, 'createdAt' | 'isClosing' | 'isClosed'>;

/** Records with one key: the oldest that is not being anonymised, and the others, oldest first. */
export type OldestFirst<Found> = readonly [Found, ...Found[]];

/**
 * Groups records by key, in the order in which keys first occur. A Data User that registers what another one has registered before does not
 * become the record by which its customer is reached, and which it could then anonymise.
 */
export function groupedByAge<Found extends Age>(
  records: readonly Found[],
  keyOf: (record: Found) => string,
): OldestFirst<Found>[] {
  const groups = new Map<string, Found[]>();
  for (const record of records) {
    const group = groups.get(keyOf(record));
    if (group === undefined) groups.set(keyOf(record), [record]);
    else group.push(record);
  }
  return [...groups.values()].map((group) => group.toSorted(byAge) as [Found, ...Found[]]);
}

function byAge(one: Age, other: Age): number {
  const ends = ({ isClosing, isClosed }: Age) => Number(isClosing || isClosed);
  return ends(one) - ends(other) || one.createdAt.getTime() - other.createdAt.getTime();
}
