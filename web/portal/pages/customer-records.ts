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

type Part = 'CURRENT' | 'HISTORY';

/**
 * Returns a page of the customer's current access records, first those that are not registered, or of those that have ended since the customer
 * moved in; the newest first. The link to the next page contains its cursor. A page has a limited size, so that a Data User with large records cannot disable the portal.
 */
export async function listedRecords(context: PageContext, part: Part) {
  const { after } = context.query;
  const cursor = typeof after === 'string' ? after : null;
  const { records, nextCursor } = await pageAfter(cursor, part, context);
  const pathQuery = cursor === null ? '' : `&after=${encodeURIComponent(cursor)}`;
  return { records, pageOfList: { isLater: cursor !== null, nextCursor, pathQuery } };
}

/** Reads all current records, or all that have ended, page by page: the next page only once the records of a page are used. */
export async function* allRecords(context: PageContext, part: Part): AsyncGenerator<CustomerRecord> {
  let after: string | null = null;
  do {
    const { records, nextCursor }: RecordPage = await pageAfter(after, part, context);
    yield* records;
    after = nextCursor;
  } while (after !== null);
}

interface RecordPage {
  readonly records: readonly CustomerRecord[];
  /** Null for the last page. */
  readonly nextCursor: string | null;
}

async function pageAfter(after: string | null, part: Part, { executeAsCustomer }: PageContext): Promise<RecordPage> {
  const { page } = await executeAsCustomer('ReadCustomerRecords', { part, after });
  return { records: page.nodes.map(withHistory), nextCursor: page.nextCursor };
}
