import { alertMails } from './chapters/alerts';
import { deletedSubscriptions } from './chapters/deleted-subscriptions';
import { deliveryInputs } from './chapters/delivery-inputs';
import { eventCounts } from './chapters/event-counts';
import { eventDeliveries } from './chapters/event-deliveries';
import { eventEpochs } from './chapters/event-epochs';
import { eventLog } from './chapters/event-log';
import { eventRecords } from './chapters/event-records';
import { expiringNotices } from './chapters/expiring-notices';
import { failedDeliveries } from './chapters/failed-deliveries';
import { registerEvents } from './chapters/register-events';
import { sharedOutbox } from './chapters/shared-outbox';
import { subscriptions } from './chapters/subscriptions';

/** Chapters share one file, so that the product is loaded once. */
describe('The event log', () => {
  eventLog();
});
describe('Counts of events', () => {
  eventCounts();
});
describe('Epochs of the event log', () => {
  eventEpochs();
});
describe('Deliveries of events', () => {
  eventDeliveries();
});
describe('Deleted subscriptions', () => {
  deletedSubscriptions();
});
describe('The inputs of a delivery', () => {
  deliveryInputs();
});
describe('Failed deliveries', () => {
  failedDeliveries();
});
describe('Notices before expiry', () => {
  expiringNotices();
});
describe('Alerts', () => {
  alertMails();
});
describe('Events of the register', () => {
  registerEvents();
});
describe('Records of events', () => {
  eventRecords();
});
describe('The outbox', () => {
  sharedOutbox();
});
describe('Webhook subscriptions', () => {
  subscriptions();
});
