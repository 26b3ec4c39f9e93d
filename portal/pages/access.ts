import type { Page } from '../page';
import { countsOf, organisationsOf } from '../presentation/access-list';
import { dateInWords } from '../presentation/dates';
import { returnLink } from '../presentation/web-link';
import { currentRecords, customerSession } from './customer-records';

/** Who has access to the meter data, and why (2-decisions-a-b.md, section 9). */
export const accessPage: Page = {
  method: 'GET',
  path: '/access',
  place: 'portal',
  async answer(visit) {
    const { language } = visit;
    const session = await customerSession(visit);
    const organisations = organisationsOf(await currentRecords(visit), language);
    return {
      view: 'access',
      model: {
        session,
        movedIn: session.moveInDate === null ? undefined : dateInWords(session.moveInDate, language),
        counts: countsOf(organisations),
        registered: organisations.filter(({ isDiscovered }) => !isDiscovered),
        discovered: organisations.filter(({ isDiscovered }) => isDiscovered),
        returnLink: returnLink(session.returnUrl),
      },
    };
  },
};
