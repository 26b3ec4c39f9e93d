import type { Operations } from '../../../schema/generated/operations';
import { type PageContext, portal } from '../page';
import { csvOf, jsonOf } from '../presentation/download';
import { withEarlierVersions } from '../presentation/earlier-versions';
import type { CustomerRecord } from '../presentation/operation-results';
import { customerRecords, customerSession } from './customer-records';

/** Downloads all current and ended access records as a CSV table. */
export const csvDownload = portal.get('/history.csv', async (context) => {
  const { language, translate } = context;
  const file = csvOf(await wholeRecords(context), language, translate);
  return { file, type: 'text/csv; charset=utf-8', name: `${translate('download.file')}.csv` };
});

/** Downloads all current and ended access records as JSON, for programs. */
export const jsonDownload = portal.get('/history.json', async (context) => {
  const session = await customerSession(context);
  const file = jsonOf(session, await wholeRecords(context));
  return { file, type: 'application/json; charset=utf-8', name: `${context.translate('download.file')}.json` };
});

/** Maximum number of pages of earlier versions, of 100 each, that one download reads: a Data User can replace a record any number of times. */
const MAX_EARLIER_PAGES = 100;

/** Returns all current and ended access records, each with its versions. */
async function wholeRecords(context: PageContext): Promise<CustomerRecord[]> {
  const records = [...(await customerRecords(context, 'CURRENT')), ...(await customerRecords(context, 'HISTORY'))];
  return withEarlierVersions(records, MAX_EARLIER_PAGES, async (id, after) => {
    const { record }: Operations['ReadEarlierVersions']['result'] = await context.executeAsCustomer(
      'ReadEarlierVersions',
      { id, after },
    );
    return record?.versions ?? null;
  });
}
