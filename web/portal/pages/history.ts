import { portal } from '../page';
import { historyOf } from '../presentation/history';
import { customerRecords, customerSession, isLimited } from './customer-records';

/** Lists the accesses that have ended. A former occupant, and a customer of a contested home, see only their own. */
export const historyPage = portal.get('/history', async (context) => {
  const session = await customerSession(context);
  const ended = historyOf(await customerRecords(context, 'HISTORY'), context.language);
  return {
    view: 'history',
    model: { ended, isLimited: isLimited(session), returnLink: context.returnLink(session.returnUrl) },
  };
});
