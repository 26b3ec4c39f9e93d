import type { Operations } from '../../../schema/generated/operations';
import { type PageContext, portal } from '../page';
import { csvOf, jsonOf } from '../presentation/download';
import { withEarlierVersions } from '../presentation/earlier-versions';
import type { CustomerRecord } from '../presentation/operation-results';
import { allRecords, customerSession } from './customer-records';

/** Downloads all current and ended access records as a CSV table. */
export const csvDownload = portal.get('/history.csv', async (context) => {
  const { language, translate } = context;
  const file = csvOf(await readAhead(wholeRecords(context)), language, translate);
  return { file, type: 'text/csv; charset=utf-8', name: `${translate('download.file')}.csv` };
});

/** Downloads all current and ended access records as JSON, for programs. */
export const jsonDownload = portal.get('/history.json', async (context) => {
  const session = await customerSession(context);
  const file = jsonOf(session, await readAhead(wholeRecords(context)));
  return { file, type: 'application/json; charset=utf-8', name: `${context.translate('download.file')}.json` };
});

/** Maximum number of pages of earlier versions, of 100 each, that one download reads: a Data User can replace a record any number of times. */
const MAX_EARLIER_PAGES = 100;

/** Reads all current and ended access records, each with its versions. */
function wholeRecords(context: PageContext): AsyncGenerator<CustomerRecord> {
  return withEarlierVersions(currentAndEnded(context), MAX_EARLIER_PAGES, async (id, after) => {
    const { record }: Operations['ReadEarlierVersions']['result'] = await context.executeAsCustomer(
      'ReadEarlierVersions',
      { id, after },
    );
    return record?.versions ?? null;
  });
}

/** Reads each access record once: one that ends during the download is also read with those that have ended. */
async function* currentAndEnded(context: PageContext): AsyncGenerator<CustomerRecord> {
  const currentIds = new Set<string>();
  for await (const record of allRecords(context, 'CURRENT')) {
    currentIds.add(record.id);
    yield record;
  }
  for await (const record of allRecords(context, 'HISTORY')) if (!currentIds.has(record.id)) yield record;
}

/** Reads the first record before the response starts, so that the browser receives a page with the error if that fails. */
async function readAhead<Entry>(entries: AsyncGenerator<Entry>): Promise<AsyncGenerator<Entry>> {
  const first = await entries.next();
  return (async function* () {
    if (first.done !== true) yield first.value;
    yield* entries;
  })();
}
