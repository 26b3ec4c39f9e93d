import { portal } from '../page';
import { challenge } from './challenge';

/** The page on which customers choose a sign-in method. */
export const signInPage = portal.get('/sign-in', (context) => challenge(context));
