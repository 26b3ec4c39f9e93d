import type { OccupantRecord } from './occupancy';

type Age = Pick<OccupantRecord, 'createdAt' | 'isClosing' | 'isClosed'>;

/**
 * Returns one record for each key, in the order in which keys first occur: the oldest that is not being anonymised. A Data User that registers
 * what another one has registered before does not become the record by which its customer is reached, and which it could then anonymise.
 */
export function oldestOfEach<Found extends Age>(records: readonly Found[], keyOf: (record: Found) => string): Found[] {
  const found = new Map<string, Found>();
  for (const record of records) {
    const key = keyOf(record);
    const other = found.get(key);
    if (other === undefined || isBefore(record, other)) found.set(key, record);
  }
  return [...found.values()];
}

function isBefore(one: Age, other: Age): boolean {
  const [oneEnds, otherEnds] = [one, other].map(({ isClosing, isClosed }) => isClosing || isClosed);
  return oneEnds === otherEnds ? one.createdAt < other.createdAt : otherEnds === true;
}
