import type { Page } from '../page';
import { csvOf, jsonOf } from '../presentation/download';
import { currentRecords, customerSession, endedRecords } from './customer-records';

/** What is registered now and what has ended, as a table. */
export const csvDownload: Page = {
  method: 'GET',
  path: '/history.csv',
  place: 'portal',
  async answer(visit) {
    const { language, wording } = visit;
    const records = [...(await currentRecords(visit)), ...(await endedRecords(visit))];
    const file = csvOf(records, language, wording);
    return { file, type: 'text/csv; charset=utf-8', name: `${wording('download.file')}.csv` };
  },
};

/** The same for programs. */
export const jsonDownload: Page = {
  method: 'GET',
  path: '/history.json',
  place: 'portal',
  async answer(visit) {
    const session = await customerSession(visit);
    const file = jsonOf(session, [...(await currentRecords(visit)), ...(await endedRecords(visit))]);
    return { file, type: 'application/json; charset=utf-8', name: `${visit.wording('download.file')}.json` };
  },
};
