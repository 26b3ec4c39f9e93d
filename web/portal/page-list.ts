import type { Page } from './page';
import { accessPage } from './pages/access';
import { confirmationPages, proofPages } from './pages/ceremony-link';
import { ceremonyDonePage } from './pages/ceremony-outcome';
import {
  mailProofForm,
  mailSentPage,
  passkeyCeremonyForm,
  passkeyCeremonyOptions,
  passkeyCeremonyPage,
} from './pages/ceremony-passkey';
import {
  contactLinkForm,
  contactLinkPage,
  contactMailForm,
  contactMailSentPage,
  contactPasskeyForm,
  contactPasskeyOptions,
} from './pages/contact-proofs';
import { supplierProofForm, contactsPage, verdictForm } from './pages/contacts';
import { csvDownload, jsonDownload } from './pages/downloads';
import { entryForm, entryPage } from './pages/entry';
import { historyPage } from './pages/history';
import { signInPage } from './pages/sign-in';
import { linkForm, linkPage, linkRequest, linkSentPage } from './pages/sign-in-by-link';
import { passkeyForm, passkeyOptions } from './pages/sign-in-by-passkey';
import { supplierCallback, supplierForm } from './pages/sign-in-by-supplier';
import { signOutForm, signedOutPage } from './pages/sign-out';
import { whoLookedPage } from './pages/who-looked';
import { withdrawForm, withdrawPage, withdrawnPage } from './pages/withdraw';

/**
 * All pages, in the order in which a customer meets them: start, sign-in, meter point, withdrawal, contacts, sign-out,
 * ceremonies.
 */
export const PAGES: readonly Page[] = [
  ...[entryPage, entryForm],
  ...[signInPage, linkRequest, linkSentPage, linkPage, linkForm],
  ...[passkeyOptions, passkeyForm, supplierForm, supplierCallback],
  ...[accessPage, historyPage, csvDownload, jsonDownload, whoLookedPage],
  ...[withdrawPage, withdrawForm, withdrawnPage],
  ...[
    contactsPage,
    verdictForm,
    supplierProofForm,
    contactMailForm,
    contactMailSentPage,
    contactLinkPage,
    contactLinkForm,
  ],
  ...[contactPasskeyOptions, contactPasskeyForm],
  ...[signOutForm, signedOutPage],
  ...[...confirmationPages, ...proofPages],
  ...[passkeyCeremonyPage, passkeyCeremonyOptions, passkeyCeremonyForm, mailProofForm, mailSentPage, ceremonyDonePage],
];
