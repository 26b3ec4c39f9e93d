import { tellEnd } from '../live/live-stream';
import type { Page } from '../page';

/** Ends the session, also for pages that are open in other windows; the browser drops what it kept of pages. */
export const signOutForm: Page = {
  method: 'POST',
  path: '/sign-out',
  answer({ cookies, endSession }) {
    for (const outlet of endSession()) tellEnd(outlet, { isSignedOut: true });
    cookies.forget('session', 'form');
    return { seeOther: '/sign-in', headers: { 'clear-site-data': '"cache"' } };
  },
};
