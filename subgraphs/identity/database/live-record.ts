import type { Session } from '../../server/transaction';

const HOLD = `
  select from identity_record where id = $1 and anonymised_at is null and closing_at is null for no key update`;

/**
 * Holds an Identity Record until the transaction ends, so that it is neither closed nor enrolled by anyone else meanwhile; false when
 * it is closing or anonymised.
 */
export async function holdLiveRecord(session: Session, recordId: string): Promise<boolean> {
  return (await session.query(HOLD, [recordId])).rowCount === 1;
}
