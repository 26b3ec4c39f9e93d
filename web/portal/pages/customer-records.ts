import type { Operations } from '../../../schema/generated/operations';
import type { PageContext } from '../page';
import type { CustomerRecord, CustomerSession, ReadRecord } from '../presentation/operation-results';

/** Returns a record that was read for its customer. */
export function withHistory(record: ReadRecord): CustomerRecord {
  const { transitions, versions } = record;
  if (transitions === null || versions === null) throw new Error('a customer reads the history of an access');
  return { ...record, transitions, versions };
}

/** Returns the meter point of the signed-in customer's session. */
export async function customerSession({ executeAsCustomer }: PageContext): Promise<CustomerSession> {
  const { session } = await executeAsCustomer('ReadCustomerSession');
  return session;
}

/** Returns whether a customer sees only their own records: a former occupant, or a customer of a contested home. */
export function isLimited({ isCurrent, isContested }: CustomerSession): boolean {
  return !isCurrent || isContested;
}

/** Returns all current access records, or all that have ended since the customer moved in, newest first. */
export async function customerRecords(
  { executeAsCustomer }: PageContext,
  part: 'CURRENT' | 'HISTORY',
): Promise<CustomerRecord[]> {
  const records: CustomerRecord[] = [];
  let after: string | null = null;
  do {
    const { page }: Operations['ReadCustomerRecords']['result'] = await executeAsCustomer('ReadCustomerRecords', {
      part,
      after,
    });
    records.push(...page.nodes.map(withHistory));
    after = page.nextCursor;
  } while (after !== null);
  return records;
}
