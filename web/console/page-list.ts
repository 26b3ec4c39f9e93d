import type { Page } from './page';
import { accountsPage } from './pages/accounts';
import { auditPage } from './pages/audit';
import { contactRejectionsForm, contactRejectionsPage } from './pages/contact-rejections';
import { contestsPage } from './pages/contests';
import { failedDeliveriesPage } from './pages/failed-deliveries';
import { gridCheckForm, gridCheckPage } from './pages/grid-check';
import { gridComparisonPage } from './pages/grid-comparison';
import { gridFitPage } from './pages/grid-fit';
import { gridObjectAfterPage } from './pages/grid-object-after';
import { gridObjectPage } from './pages/grid-object';
import { gridProjectPage } from './pages/grid-project';
import { gridProjectsPage } from './pages/grid-projects';
import { livePage, liveStream } from './pages/live';
import { signInForm, signInPage } from './pages/sign-in';
import { signOutForm } from './pages/sign-out';
import { tariffPage } from './pages/tariff';
import { tariffsPage } from './pages/tariffs';

/** All pages of the console. Pages of the grid and of the tariffs require no session: their data are public. */
export const PAGES: readonly Page[] = [
  signInPage,
  signInForm,
  livePage,
  liveStream,
  failedDeliveriesPage,
  contestsPage,
  contactRejectionsPage,
  contactRejectionsForm,
  auditPage,
  accountsPage,
  gridProjectsPage,
  gridProjectPage,
  gridObjectPage,
  gridCheckPage,
  gridCheckForm,
  gridComparisonPage,
  gridFitPage,
  gridObjectAfterPage,
  tariffsPage,
  tariffPage,
  signOutForm,
];
