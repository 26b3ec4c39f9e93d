import type { Page } from '../page';
import { challenge } from './challenge';

/** Where somebody proves who they are. */
export const signInPage: Page = {
  method: 'GET',
  path: '/sign-in',
  place: 'portal',
  answer: (visit) => challenge(visit),
};
