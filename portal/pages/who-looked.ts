import type { Page } from '../page';
import { looksByDay } from '../presentation/looks';
import type { AccessLook, IdentityLook } from '../presentation/register-answers';
import { returnLink } from '../presentation/web-link';
import { customerSession } from './customer-records';

interface Looks {
  readonly accessLooks: readonly AccessLook[];
  readonly identityLooks: readonly IdentityLook[];
}

/** Who asked the register about the meter point (2-decisions-a-b.md, section 10). */
export const whoLookedPage: Page = {
  method: 'GET',
  path: '/who-looked',
  place: 'portal',
  async answer(visit) {
    const session = await customerSession(visit);
    const { accessLooks, identityLooks } = await visit.askAsCustomer<Looks>('ReadWhoLooked');
    const days = looksByDay(accessLooks, identityLooks, visit.language);
    return { view: 'who-looked', model: { days, returnLink: returnLink(session.returnUrl) } };
  },
};
