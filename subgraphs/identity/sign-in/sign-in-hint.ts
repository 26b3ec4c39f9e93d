import type { Violation } from '../../../schema/register-error';
import { currentContacts, isContested } from '../contacts/contacts';
import { type OccupantRecord, isUnreadableCustomer } from '../occupancy/occupancy';
import { emailViolations } from '../records/personal-data-rules';

/** Sign-in hints: from the link by which the customer came, or typed by the customer (decisions A/B, 9). */
export interface SignInHint {
  readonly mpxn: string | null;
  /** Key of an Identity Record, from the link of its Data User. */
  readonly ir: string | null;
  readonly email: string | null;
  /** Requested return URL. Whether it is allowed is decided after sign-in. */
  readonly returnUrl: string | null;
}

/** What decides the return URL: a part of the hints, or the earlier session of a customer who also signs in at the supplier. */
export interface SignInOrigin extends Pick<SignInHint, 'ir' | 'returnUrl'> {
  /** The Data User for which the return URL of the earlier session is registered. No hint contains it. */
  readonly sender?: string | null;
}

const MAX_RETURN_URL_LENGTH = 2_048;

/** Returns the origin in the hints without a return URL that is longer than any registered one. */
export function originIn({ ir, returnUrl }: Pick<SignInHint, 'ir' | 'returnUrl'>): SignInOrigin {
  return { ir, returnUrl: returnUrl !== null && returnUrl.length <= MAX_RETURN_URL_LENGTH ? returnUrl : null };
}

/** Criterion by which the Identity Records of a sign-in are found. */
export type SoughtBy = { readonly email: string } | { readonly mpxn: string } | { readonly ir: string };

/** Returns the criterion of the hints: typed values take precedence over the key in the link. */
export function soughtBy({ email, mpxn, ir }: SignInHint): SoughtBy | undefined {
  if (email !== null) return { email };
  if (mpxn !== null) return { mpxn };
  if (ir !== null) return { ir };
  return undefined;
}

/** Returns the violations of hints for a mailed link. They depend on the form only, never on whether an address is registered. */
export function linkHintViolations(entry: SignInHint): Violation[] {
  const nothing: Violation = { code: 'VAL002', path: ['entry'], message: 'requires mpxn, ir or email' };
  return soughtBy(entry) === undefined ? [nothing] : emailViolations(['entry', 'email'], entry.email);
}

/** Returns the violations of hints for a supplier sign-in, whose claim must contain the meter point. */
export function supplierHintViolations({ mpxn, ir }: SignInHint): Violation[] {
  if (mpxn !== null || ir !== null) return [];
  return [{ code: 'VAL002', path: ['entry'], message: 'requires mpxn or ir' }];
}

/** Whether the `mpxn` claim of a supplier's ID token, one value or an array, contains the MPxN of the hints. */
export function claimNames(claim: unknown, mpxn: string): boolean {
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return named.includes(mpxn);
}

/**
 * Whether a customer may sign in at the supplier, and by which record. Supplier sign-in is the fallback: it is rejected while a verified
 * Identity Record of the current occupancy has a passkey or e-mail address (decisions A/B, 9), unless contacts are contested. Then the
 * supplier-proven customer decides and signs in without a record (decisions A/B, 11). A record that cannot be decrypted may have a contact.
 * `atMeterPoint` is in descending order.
 */
export function supplierSignInBy(
  atMeterPoint: readonly OccupantRecord[],
): { readonly allowed: false } | { readonly allowed: true; readonly record: OccupantRecord | undefined } {
  if (isContested(currentContacts(atMeterPoint).groups)) return { allowed: true, record: undefined };
  if (atMeterPoint.some(isUnreadableCustomer)) return { allowed: false };
  const own = atMeterPoint.filter(({ isVerified, occupancy }) => isVerified && occupancy === 'current');
  if (own.some(({ hasPasskey, email }) => hasPasskey || email !== null)) return { allowed: false };
  return { allowed: true, record: own[0] };
}
