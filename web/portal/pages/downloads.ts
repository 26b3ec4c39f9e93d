import type { Page } from '../page';
import { csvOf, jsonOf } from '../presentation/download';
import { customerRecords, customerSession } from './customer-records';

/** Downloads all current and ended access records as a CSV table. */
export const csvDownload: Page = {
  method: 'GET',
  path: '/history.csv',
  site: 'portal',
  async respond(context) {
    const { language, translate } = context;
    const records = [...(await customerRecords(context, 'CURRENT')), ...(await customerRecords(context, 'HISTORY'))];
    const file = csvOf(records, language, translate);
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
    const file = jsonOf(session, [
      ...(await customerRecords(context, 'CURRENT')),
      ...(await customerRecords(context, 'HISTORY')),
    ]);
    return { file, type: 'application/json; charset=utf-8', name: `${context.translate('download.file')}.json` };
  },
};
