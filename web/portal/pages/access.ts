import { portal } from '../page';
import { countsOf, organisationsOf } from '../presentation/access-list';
import { dateInWords } from '../presentation/dates';
import { customerSession, isLimited, listedRecords } from './customer-records';

/** Lists the organisations with access to the meter data, and the legal basis of each access (decisions A/B, 9). */
export const accessPage = portal.get('/access', async (context) => {
  const { language } = context;
  const session = await customerSession(context);
  const { records, pageOfList } = await listedRecords(context, 'CURRENT');
  const organisations = organisationsOf(records, language);
  return {
    view: 'access',
    model: {
      session,
      ...pageOfList,
      isLimited: isLimited(session),
      movedIn: session.moveInDate === null ? undefined : dateInWords(session.moveInDate, language),
      counts: countsOf(organisations),
      registered: organisations.filter(({ isDiscovered }) => !isDiscovered),
      discovered: organisations.filter(({ isDiscovered }) => isDiscovered),
      returnLink: context.returnLink(session.returnUrl),
    },
  };
});
