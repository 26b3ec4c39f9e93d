import type { Visit } from '../page';
import type { CustomerRecord, CustomerSession, EndedRecord } from '../presentation/register-answers';

/** What the customer who is signed in may see: one meter point. */
export async function customerSession({ askAsCustomer }: Visit): Promise<CustomerSession> {
  const { session } = await askAsCustomer<{ session: CustomerSession }>('ReadCustomerSession');
  return session;
}

/** Every access that there is now, newest first. */
export function currentRecords(visit: Visit): Promise<CustomerRecord[]> {
  return everyPage<CustomerRecord>(visit, 'CURRENT');
}

/** Every access that has ended since the customer moved in, newest first. */
export function endedRecords(visit: Visit): Promise<EndedRecord[]> {
  return everyPage<EndedRecord>(visit, 'HISTORY');
}

async function everyPage<Entry>({ askAsCustomer }: Visit, part: 'CURRENT' | 'HISTORY'): Promise<Entry[]> {
  const records: Entry[] = [];
  let after: string | null = null;
  do {
    const { page }: RecordPage<Entry> = await askAsCustomer<RecordPage<Entry>>('ReadCustomerRecords', { part, after });
    records.push(...page.nodes);
    after = page.nextCursor;
  } while (after !== null);
  return records;
}

interface RecordPage<Entry> {
  readonly page: { readonly nodes: readonly Entry[]; readonly nextCursor: string | null };
}

/** One access record in the customer's scope. */
export interface RecordOfCustomer {
  readonly session: CustomerSession;
  readonly record: EndedRecord | null;
}
