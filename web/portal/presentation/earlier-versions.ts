import type { CustomerRecord } from './operation-results';

type Versions = CustomerRecord['versions'];

/**
 * Completes the versions of access records, page by page, at most `maxPages` pages in all; then `nextCursor` of a record is not null. Omits a
 * record that leaves the scope of the customer meanwhile: `read` returns null for it.
 */
export async function* withEarlierVersions(
  records: AsyncIterable<CustomerRecord>,
  maxPages: number,
  read: (recordId: string, after: string) => Promise<Versions | null>,
): AsyncGenerator<CustomerRecord> {
  let pages = 0;
  for await (const record of records) {
    const nodes = [...record.versions.nodes];
    let page: Versions | null = record.versions;
    while (page !== null && page.nextCursor !== null && pages < maxPages) {
      pages += 1;
      page = await read(record.id, page.nextCursor);
      nodes.push(...(page?.nodes ?? []));
    }
    if (page !== null) yield { ...record, versions: { nodes, nextCursor: page.nextCursor } };
  }
}
