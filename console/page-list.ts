import type { Page } from './page';
import { livePage, liveStream } from './pages/live';
import { signInForm, signInPage } from './pages/sign-in';
import { signOutForm } from './pages/sign-out';

/** Every page of the console. */
export const PAGES: readonly Page[] = [signInPage, signInForm, livePage, liveStream, signOutForm];
