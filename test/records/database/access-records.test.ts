import { appendOnly } from './chapters/append-only';
import { claimsOfDiscoveries } from './chapters/claims';
import { claimsInParts } from './chapters/claims-in-parts';
import { customerRecords } from './chapters/customer-records';
import { damagedValues } from './chapters/damaged-values';
import { discoveries } from './chapters/discoveries';
import { expirySweep } from './chapters/expiry-sweep';
import { lookupsOfRecords } from './chapters/lookups';
import { operatorReports } from './chapters/operator';
import { pageSizes } from './chapters/page-sizes';
import { portalAccounts } from './chapters/portal-accounts';
import { recordCounts } from './chapters/record-counts';
import { recordLists } from './chapters/record-lists';
import { references } from './chapters/references';
import { retention } from './chapters/retention';
import { stateTransitions } from './chapters/state-transitions';
import { tenancyChanges } from './chapters/tenancy-changes';
import { terminations } from './chapters/terminations';
import { tokenRedemption } from './chapters/token-redemption';

/** Chapters share the loaded modules; each has a separate database. */
describe('History', () => {
  appendOnly();
});
describe('States of records', () => {
  stateTransitions();
});
describe('Expiry', () => {
  expirySweep();
});
describe('References', () => {
  references();
});
describe('Damaged values', () => {
  damagedValues();
});
describe('Retention', () => {
  retention();
});
describe('Tokens of re-identifications', () => {
  tokenRedemption();
});
describe('Lists of records', () => {
  recordLists();
});
describe('Sizes of pages', () => {
  pageSizes();
});
describe('Counts of records', () => {
  recordCounts();
});
describe('Records of customers', () => {
  customerRecords();
});
describe('Portals', () => {
  portalAccounts();
});
describe('Lookups', () => {
  lookupsOfRecords();
});
describe('Discoveries', () => {
  discoveries();
});
describe('Claims of discoveries', () => {
  claimsOfDiscoveries();
});
describe('Claims in parts', () => {
  claimsInParts();
});
describe('Changes of Tenancy', () => {
  tenancyChanges();
});
describe('Terminated Data Users', () => {
  terminations();
});
describe('The subgraph access', () => {
  operatorReports();
});
