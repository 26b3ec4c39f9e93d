import { type DeliveryState, deliveryDecision } from '../../../subgraphs/tariffs/webhooks/tariff-delivery';
import { TARIFF_EVENT_TYPES } from '../../../subgraphs/tariffs/events/tariff-event';

const USUAL: DeliveryState = {
  type: 'tariff.change',
  isRemoved: false,
  status: 'active',
  supplierStatus: 'active',
  isConsented: true,
  wasDisabled: false,
  isErased: false,
};

/**
 * Returns the decisions for the five types, in the order of {@link TARIFF_EVENT_TYPES}, as first letters: send, wait,
 * drop.
 */
function verdicts(facts: Partial<DeliveryState>): string {
  return TARIFF_EVENT_TYPES.map((type) => deliveryDecision({ ...USUAL, ...facts, type })[0]).join('');
}

describe('A delivery to an RTI User', () => {
  it.each<[string, Partial<DeliveryState>, string]>([
    ['is sent while both parties are active and the customer consents', {}, 'sssss'],
    ['is sent without a consent for a revocation and for a cessation only', { isConsented: false }, 'dddss'],
    ['is dropped at a removed webhook', { isRemoved: true }, 'ddddd'],
    [
      'is dropped at a removed webhook, whatever the status of the RTI User',
      { isRemoved: true, status: 'suspended' },
      'ddddd',
    ],
    ['waits while the RTI User is suspended, except for a revocation', { status: 'suspended' }, 'wwwsw'],
    [
      'waits for a cessation while the RTI User is disabled, and is dropped for what it has missed since',
      { status: 'disabled', wasDisabled: true },
      'dddsw',
    ],
    [
      'is dropped if the RTI User was disabled since the event, except for a revocation and a cessation',
      { wasDisabled: true },
      'dddss',
    ],
    [
      'waits while the supplier is suspended, except for a revocation and its cessation',
      { supplierStatus: 'suspended' },
      'wwwss',
    ],
    ['is dropped for a removed RTI User, except for a revocation', { status: 'removed' }, 'dddsd'],
    [
      'is dropped for a removed supplier, except for a revocation and its cessation',
      { supplierStatus: 'removed' },
      'dddss',
    ],
    [
      'is dropped for a suspended RTI User if the supplier is removed',
      { status: 'suspended', supplierStatus: 'removed' },
      'dddsw',
    ],
    ['is dropped if its MPxN was erased', { isErased: true }, 'ddddd'],
    [
      'is dropped for a suspended RTI User if the consent was revoked',
      { status: 'suspended', isConsented: false },
      'dddsw',
    ],
  ])('%s', (_, facts, expected) => {
    expect(verdicts(facts)).toBe(expected);
  });
});
