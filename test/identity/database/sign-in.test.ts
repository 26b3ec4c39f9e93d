import { customerBearer } from './chapters/customer-bearer';
import { customerSessions } from './chapters/customer-sessions';
import { mailBudgets } from './chapters/mail-budgets';
import { occupancies } from './chapters/occupancies';
import { passkeySignIn } from './chapters/passkey-sign-in';
import { recordLimits } from './chapters/record-limits';
import { signInLimits } from './chapters/sign-in-limits';
import { signInLinks } from './chapters/sign-in-links';
import { supplierIdToken } from './chapters/supplier-id-token';
import { supplierSignIn } from './chapters/supplier-sign-in';
import { verifiedFirst } from './chapters/verified-first';

/** Chapters share one fixture: see `fixtureOfThisFile`. */
describe('Sign-in by a mailed link', () => {
  signInLinks();
});
describe('Sign-in by a passkey', () => {
  passkeySignIn();
});
describe('Sign-in at the supplier', () => {
  supplierSignIn();
});
describe('The ID token of a supplier', () => {
  supplierIdToken();
});
describe('Sessions of customers', () => {
  customerSessions();
});
describe('The token of a session between services', () => {
  customerBearer();
});
describe('Occupancies', () => {
  occupancies();
});
describe('Verified customers first', () => {
  verifiedFirst();
});
describe('Limits on Identity Records', () => {
  recordLimits();
});
describe('Limits on sign-ins', () => {
  signInLimits();
});
describe('The budget of mails', () => {
  mailBudgets();
});
