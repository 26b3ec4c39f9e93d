import type { Page } from '../page';
import { challenge } from './challenge';

/** The page on which customers choose a sign-in method. */
export const signInPage: Page = {
  method: 'GET',
  path: '/sign-in',
  site: 'portal',
  respond: (context) => challenge(context),
};
