import type { Violation } from '../../../schema/register-error';
import { emailViolations } from './email-address';

/** How a customer came to the portal, or what they typed there (2-decisions-a-b.md, section 9). */
export interface SignInEntry {
  readonly mpxn: string | null;
  /** Key of an Identity Record, from the link of its Data User. */
  readonly ir: string | null;
  readonly email: string | null;
  /** Where they want to be sent back; whether they may be is decided when they have signed in. */
  readonly returnUrl: string | null;
}

/** From where a customer came, as far as it decides where they may be sent back. */
export type SignInOrigin = Pick<SignInEntry, 'ir' | 'returnUrl'>;

const LONGEST_RETURN_URL = 2_048;

/** The origin in an entry; what is longer than any URL of the register is dropped at once. */
export function originIn({ ir, returnUrl }: SignInOrigin): SignInOrigin {
  return { ir, returnUrl: returnUrl !== null && returnUrl.length <= LONGEST_RETURN_URL ? returnUrl : null };
}

/** What the Identity Records of a sign-in are found by. */
export type SoughtBy = { readonly email: string } | { readonly mpxn: string } | { readonly ir: string };

/** What counts of an entry: what was typed goes before the key in the link by which the customer came. */
export function soughtBy({ email, mpxn, ir }: SignInEntry): SoughtBy | undefined {
  if (email !== null) return { email };
  if (mpxn !== null) return { mpxn };
  if (ir !== null) return { ir };
  return undefined;
}

/** What is wrong with an entry to which a link is to be mailed: only its shape, never whether anybody is known by it. */
export function linkEntryViolations(entry: SignInEntry): Violation[] {
  const nothing: Violation = { code: 'VAL002', path: ['entry'], message: 'needs an mpxn, an ir or an email' };
  return soughtBy(entry) === undefined ? [nothing] : emailViolations(['entry', 'email'], entry.email);
}

/** The same for a supplier sign-in, whose claim must name the meter point. */
export function supplierEntryViolations({ mpxn, ir }: SignInEntry): Violation[] {
  if (mpxn !== null || ir !== null) return [];
  return [{ code: 'VAL002', path: ['entry'], message: 'needs an mpxn or an ir' }];
}
