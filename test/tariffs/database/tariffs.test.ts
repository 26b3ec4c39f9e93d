import { tariffsOverTime } from './chapters/assignments';
import { catalogue } from './chapters/catalogue';
import { tariffPrices } from './chapters/prices';
import { changedIssuers } from './chapters/changed-issuers';
import { consentsToShare } from './chapters/consents';
import { damagedContacts } from './chapters/damaged-contacts';
import { reportsOfSuppliers } from './chapters/performance-reports';
import { rtiWebhooks } from './chapters/rti-webhooks';
import { consumerIssuers } from './chapters/consumer-issuers';
import { consumerTokens } from './chapters/consumer-tokens';
import { endedTariffs } from './chapters/ended-tariffs';
import { lookups } from './chapters/lookups';
import { receiversOfEvents } from './chapters/event-receivers';
import { eventsOfTariffs } from './chapters/events';
import { supplierKeys } from './chapters/supplier-keys';
import { eventsOfValidity } from './chapters/validity-events';
import { yearOfPrices } from './chapters/year-of-prices';

/** One file contains all chapters, so that jest loads the product once. */
describe('The catalogue', () => {
  catalogue();
});
describe('Lookups', () => {
  lookups();
});
describe('Damaged contacts', () => {
  damagedContacts();
});
describe('Performance reports', () => {
  reportsOfSuppliers();
});
describe('Ended tariffs', () => {
  endedTariffs();
});
describe('Prices', () => {
  tariffPrices();
});
describe('A year of prices', () => {
  yearOfPrices();
});
describe('Assignments', () => {
  tariffsOverTime();
});
describe('Consents', () => {
  consentsToShare();
});
describe('Changed issuers', () => {
  changedIssuers();
});
describe('Webhooks of RTI Users', () => {
  rtiWebhooks();
});
describe('Issuers of consumer tokens', () => {
  consumerIssuers();
});
describe('Consumer tokens', () => {
  consumerTokens();
});
describe('Keys of suppliers', () => {
  supplierKeys();
});
describe('Tariff events', () => {
  eventsOfTariffs();
});
describe('Receivers of tariff events', () => {
  receiversOfEvents();
});
describe('Events of validity', () => {
  eventsOfValidity();
});
