import type { Page } from '../page';
import { historyOf } from '../presentation/history';
import { returnLink } from '../presentation/web-link';
import { customerSession, endedRecords } from './customer-records';

/** Access that has ended. */
export const historyPage: Page = {
  method: 'GET',
  path: '/history',
  place: 'portal',
  async answer(visit) {
    const session = await customerSession(visit);
    const ended = historyOf(await endedRecords(visit), visit.language);
    return { view: 'history', model: { ended, returnLink: returnLink(session.returnUrl) } };
  },
};
