import { portal } from '../page';
import { historyOf } from '../presentation/history';
import { customerSession, isLimited, listedRecords } from './customer-records';

/** Lists the accesses that have ended. A former occupant, and a customer of a contested home, see only their own. */
export const historyPage = portal.get('/history', async (context) => {
  const session = await customerSession(context);
  const { records, pageOfList } = await listedRecords(context, 'HISTORY');
  const ended = historyOf(records, context.language);
  return {
    view: 'history',
    model: { ended, ...pageOfList, isLimited: isLimited(session), returnLink: context.returnLink(session.returnUrl) },
  };
});
