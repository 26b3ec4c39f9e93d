import type { TariffEventType } from './effects';
import type { RegisterEntryStatus } from './register-entry-status';

/** What decides about a delivery, at the instant of an attempt. */
export interface DeliveryFacts {
  readonly type: TariffEventType;
  /** Whether the webhook was removed. */
  readonly isRemoved: boolean;
  /** Of the RTI User. */
  readonly status: RegisterEntryStatus;
  /** Of the supplier at whose consents it is told. */
  readonly supplierStatus: RegisterEntryStatus;
  /** Whether the RTI User has a live consent for the MPxN at the supplier. */
  readonly isConsented: boolean;
}

/**
 * Whether a delivery is made now, waits until RTI User and supplier are both active again, or is wanted no more (3-decisions-c-d.md, D.3):
 * a revocation is told whatever their status, and the end of a supplier whatever its own; of all else only what is consented to still.
 */
export function deliveryStanding(facts: DeliveryFacts): 'send' | 'wait' | 'drop' {
  const { type, isRemoved, status, supplierStatus, isConsented } = facts;
  if (isRemoved) return 'drop';
  if (type === 'consent.revoked') return 'send';
  if (type !== 'supplier.cessation' && !isConsented) return 'drop';
  const statuses = type === 'supplier.cessation' ? [status] : [status, supplierStatus];
  if (statuses.includes('removed')) return 'drop';
  return statuses.every((each) => each === 'active') ? 'send' : 'wait';
}
