import { guards } from './chapters/guards';
import { identityRecords } from './chapters/identity-records';
import { legacyConsents } from './chapters/legacy-consents';
import { lookupRetention } from './chapters/lookup-retention';
import { mails } from './chapters/mails';
import { recordMpxns } from './chapters/record-mpxns';
import { shownLegacyConsents } from './chapters/shown-consents';

/** Chapters share loaded modules, not databases. */
describe('Identity Records', () => {
  identityRecords();
});
describe('Guards of Identity Records', () => {
  guards();
});
describe('MPxNs for other services', () => {
  recordMpxns();
});
describe('Counts of lookups', () => {
  lookupRetention();
});
describe('Mails to customers', () => {
  mails();
});
describe('Consents of Interface B', () => {
  legacyConsents();
});
describe('Consents that Interface B shows', () => {
  shownLegacyConsents();
});
