import { inactiveInitiators } from './chapters/inactive-initiators';
import { lookups } from './chapters/lookups';
import { madeAhead } from './chapters/made-ahead';
import { magicLinks } from './chapters/magic-links';
import { passkeys } from './chapters/passkeys';
import { passkeyLimit } from './chapters/passkey-limit';
import { passkeysRejected } from './chapters/passkeys-rejected';
import { takeOvers } from './chapters/take-overs';

/** Chapters share one fixture: see `fixtureOfThisFile`. */
describe('Re-identification by a mailed link', () => {
  magicLinks();
});
describe('Re-identification by a passkey', () => {
  passkeys();
  passkeyLimit();
});
describe('Rejected passkeys', () => {
  passkeysRejected();
});
describe('Attempts to take over an identity', () => {
  takeOvers();
});
describe('A ceremony of a Data User that is no longer active', () => {
  inactiveInitiators();
});
describe('Lookups of customers', () => {
  lookups();
});
describe('After the clock was ahead', () => {
  madeAhead();
});
