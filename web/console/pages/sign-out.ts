import { endLivePages } from '../live/live-stream';
import { post } from '../page';

/** Ends the session, also for live pages that are open in other windows, and clears the browser's cache. */
export const signOutForm = post('/sign-out', ({ cookies, endSession }) => {
  endLivePages(endSession());
  cookies.delete('session', 'form', 'page');
  return { seeOther: '/sign-in', headers: { 'clear-site-data': '"cache"' } };
});
