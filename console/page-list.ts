import type { Page } from './page';
import { contestsPage } from './pages/contests';
import { gridComparisonPage } from './pages/grid-comparison';
import { gridObjectPage } from './pages/grid-object';
import { gridProjectPage } from './pages/grid-project';
import { gridProjectsPage } from './pages/grid-projects';
import { livePage, liveStream } from './pages/live';
import { signInForm, signInPage } from './pages/sign-in';
import { signOutForm } from './pages/sign-out';
import { tariffPage } from './pages/tariff';
import { tariffsPage } from './pages/tariffs';

/** Every page of the console. Those of the grid and of the tariffs are for everybody: what they show is public. */
export const PAGES: readonly Page[] = [
  signInPage,
  signInForm,
  livePage,
  liveStream,
  contestsPage,
  gridProjectsPage,
  gridProjectPage,
  gridObjectPage,
  gridComparisonPage,
  tariffsPage,
  tariffPage,
  signOutForm,
];
