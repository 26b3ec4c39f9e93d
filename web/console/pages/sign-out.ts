import { sendEnd } from '../live/live-stream';
import type { Page } from '../page';

/** Ends the session, also for live pages that are open in other windows, and clears the browser's cache. */
export const signOutForm: Page = {
  method: 'POST',
  path: '/sign-out',
  respond({ cookies, endSession }) {
    for (const stream of endSession()) sendEnd(stream, { isSignedOut: true });
    cookies.delete('session', 'form');
    return { seeOther: '/sign-in', headers: { 'clear-site-data': '"cache"' } };
  },
};
