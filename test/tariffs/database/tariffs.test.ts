import { tariffsOverTime } from './chapters/assignments';
import { catalogue } from './chapters/catalogue';
import { consentsToShare } from './chapters/consents';
import { rtiWebhooks } from './chapters/rti-webhooks';
import { consumerIssuers } from './chapters/consumer-issuers';
import { consumerTokens } from './chapters/consumer-tokens';
import { eventsOfTariffs } from './chapters/events';
import { supplierKeys } from './chapters/supplier-keys';

/** Chapters of one file load the product once. */
describe('The catalogue', () => {
  catalogue();
});
describe('Assignments', () => {
  tariffsOverTime();
});
describe('Consents', () => {
  consentsToShare();
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
