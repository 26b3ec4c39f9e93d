import type { Operations } from '../../../schema/generated/operations';
import type { Page, PageContext } from '../page';
import { csvOf, jsonOf } from '../presentation/download';
import type { CustomerRecord } from '../presentation/operation-results';
import { customerRecords, customerSession } from './customer-records';

/** Downloads all current and ended access records as a CSV table. */
export const csvDownload: Page = {
  method: 'GET',
  path: '/history.csv',
  site: 'portal',
  async respond(context) {
    const { language, translate } = context;
    const file = csvOf(await wholeRecords(context), language, translate);
    return { file, type: 'text/csv; charset=utf-8', name: `${translate('download.file')}.csv` };
  },
};

/** Downloads all current and ended access records as JSON, for programs. */
export const jsonDownload: Page = {
  method: 'GET',
  path: '/history.json',
  site: 'portal',
  async respond(context) {
    const session = await customerSession(context);
    const file = jsonOf(session, await wholeRecords(context));
    return { file, type: 'application/json; charset=utf-8', name: `${context.translate('download.file')}.json` };
  },
};

/** Returns all current and ended access records, each with all of its versions. */
async function wholeRecords(context: PageContext): Promise<CustomerRecord[]> {
  const records = [...(await customerRecords(context, 'CURRENT')), ...(await customerRecords(context, 'HISTORY'))];
  for (const [index, record] of records.entries()) records[index] = await withAllVersions(context, record);
  return records;
}

async function withAllVersions({ executeAsCustomer }: PageContext, record: CustomerRecord): Promise<CustomerRecord> {
  const nodes = [...record.versions.nodes];
  let after = record.versions.nextCursor;
  while (after !== null) {
    const { record: earlier }: Operations['ReadEarlierVersions']['result'] = await executeAsCustomer(
      'ReadEarlierVersions',
      { id: record.id, after },
    );
    if (!earlier?.versions) throw new Error('the access record left the scope of the customer during a download');
    nodes.push(...earlier.versions.nodes);
    after = earlier.versions.nextCursor;
  }
  return { ...record, versions: { nodes, nextCursor: null } };
}
