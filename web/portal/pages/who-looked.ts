import type { Page } from '../page';
import { lookupsByDay } from '../presentation/lookups';
import { returnLink } from '../presentation/web-link';
import { customerSession, isLimited } from './customer-records';

/**
 * Lists the organisations that looked up the meter point, by day and hour (decisions A/B, 10). A former occupant, and a
 * customer of a contested home, see only lookups of their own records.
 */
export const whoLookedPage: Page = {
  method: 'GET',
  path: '/who-looked',
  site: 'portal',
  async respond(context) {
    const session = await customerSession(context);
    const { accessLooks, identityLooks } = await context.executeAsCustomer('ReadWhoLooked');
    const days = lookupsByDay(accessLooks, identityLooks, context.language);
    return {
      view: 'who-looked',
      model: { days, isLimited: isLimited(session), returnLink: returnLink(session.returnUrl) },
    };
  },
};
