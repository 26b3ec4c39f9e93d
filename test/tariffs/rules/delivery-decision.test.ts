import { type DeliveryFacts, deliveryStanding } from '../../../subgraphs/tariffs/domain/delivery-standing';
import { TARIFF_EVENT_TYPES } from '../../../subgraphs/tariffs/domain/effects';
import type { RegisterEntryStatus } from '../../../subgraphs/tariffs/domain/register-entry-status';

const USUAL: DeliveryFacts = {
  type: 'tariff.change',
  isRemoved: false,
  status: 'active',
  supplierStatus: 'active',
  isConsented: true,
};

/** What becomes of the five types, in the order of {@link TARIFF_EVENT_TYPES}, by their first letters: sent, waiting, dropped. */
function verdicts(facts: Partial<DeliveryFacts>): string {
  return TARIFF_EVENT_TYPES.map((type) => deliveryStanding({ ...USUAL, ...facts, type })[0]).join('');
}

describe('A delivery to an RTI User', () => {
  it.each<[string, Partial<DeliveryFacts>, string]>([
    ['is made while both are active and the customer consents', {}, 'sssss'],
    ['is made of a revocation and of a cessation without a consent', { isConsented: false }, 'dddss'],
    ['is never made at a webhook that was removed', { isRemoved: true }, 'ddddd'],
    ['of a removed webhook is not made, whatever its status', { isRemoved: true, status: 'suspended' }, 'ddddd'],
    ['waits while the RTI User is suspended, but for a revocation', { status: 'suspended' }, 'wwwsw'],
    ['waits while the supplier is suspended, but for its own end', { supplierStatus: 'suspended' }, 'wwwss'],
    ['is wanted no more of a removed RTI User, but for a revocation', { status: 'removed' }, 'dddsd'],
    ['of a removed supplier is a revocation, or its end', { supplierStatus: 'removed' }, 'dddss'],
    ['waits for nobody who was removed', { status: 'suspended', supplierStatus: 'removed' }, 'dddsw'],
    ['waits for nobody who does not share any more', { status: 'suspended', isConsented: false }, 'dddsw'],
  ])('%s', (_, facts, expected) => {
    expect(verdicts(facts)).toBe(expected);
  });

  it('waits in every status that is not active and not removed', () => {
    const statuses: RegisterEntryStatus[] = ['suspended', 'disabled'];
    expect(statuses.map((status) => verdicts({ status }))).toEqual(['wwwsw', 'wwwsw']);
  });
});
