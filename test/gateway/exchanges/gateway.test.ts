import { clientAddress } from './chapters/client-address';
import { connections } from './chapters/connections';
import { keySetFaults } from './chapters/key-set-faults';
import { largeBodies } from './chapters/large-bodies';
import { planExecutor } from './chapters/plan-executor';
import { gatewayRequests } from './chapters/requests';
import { unreadResponses } from './chapters/unread-responses';
import { busyGateway } from './chapters/busy-gateway';

/** Chapters share one file, so that the product is loaded once. */
describe('Requests', () => {
  gatewayRequests();
});
describe('Large bodies', () => {
  largeBodies();
});
describe('The plan executor', () => {
  planExecutor();
});
describe('A busy gateway', () => {
  busyGateway();
});
describe('Responses', () => {
  unreadResponses();
});
describe('Connections', () => {
  connections();
});
describe('Addresses of clients', () => {
  clientAddress();
});
describe('Faults of the key set', () => {
  keySetFaults();
});
