import { lookups } from './chapters/lookups';
import { magicLinks } from './chapters/magic-links';
import { passkeys } from './chapters/passkeys';
import { passkeysRejected } from './chapters/passkeys-rejected';
import { takeOvers } from './chapters/take-overs';

/** Chapters share one fixture: see `fixtureOfThisFile`. */
describe('Re-identification by a mailed link', () => {
  magicLinks();
});
describe('Re-identification by a passkey', () => {
  passkeys();
});
describe('Rejected passkeys', () => {
  passkeysRejected();
});
describe('Attempts to take over an identity', () => {
  takeOvers();
});
describe('Lookups of customers', () => {
  lookups();
});
