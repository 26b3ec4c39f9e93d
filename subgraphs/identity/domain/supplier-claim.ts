import { currentContacts, isContested } from './contacts';
import type { OccupantRecord } from './occupant-record';

/** Whether the `mpxn` claim of a supplier's ID token, one meter point or several, names the meter point that was entered. */
export function claimNames(claim: unknown, mpxn: string): boolean {
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return named.includes(mpxn);
}

/**
 * The supplier sign-in is the fallback: it is refused while a verified Identity Record of the current occupancy has a passkey or an
 * e-mail address (2-decisions-a-b.md, section 9), unless these stand against each other: then whom the supplier proves decides, as
 * nobody's record (section 11). `atMeterPoint` newest first.
 */
export function supplierSignInBy(
  atMeterPoint: readonly OccupantRecord[],
): { readonly allowed: false } | { readonly allowed: true; readonly record: OccupantRecord | undefined } {
  const own = atMeterPoint.filter(({ isVerified, occupancy }) => isVerified && occupancy === 'current');
  if (isContested(currentContacts(atMeterPoint).groups)) return { allowed: true, record: undefined };
  if (own.some(({ hasPasskey, email }) => hasPasskey || email !== null)) return { allowed: false };
  return { allowed: true, record: own[0] };
}
