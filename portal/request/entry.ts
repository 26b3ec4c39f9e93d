import { emailAddressFault } from '../../schema/email-address';
import { IDENTITY_RECORD_KEY_PATTERN } from '../../schema/identifiers';
import { MPXN_PROFILE, type MpxnProfile, mpxnFault } from '../../schema/mpxn';

/**
 * How a customer came to the portal, or what they typed there (2-decisions-a-b.md, section 9). What was typed (`email`, else `mpxn`)
 * goes before the `ir` of the link by which they came.
 */
export interface Entry {
  readonly mpxn?: string;
  readonly ir?: string;
  readonly email?: string;
  /** Where they want to be sent back; the register decides whether they may be. */
  readonly returnUrl?: string;
  /** A link named a number of 13 digits that the register does not take: the start says what to enter. */
  readonly hasLongNumber?: true;
}

const LONGEST_URL = 2048;
/** An address of the web in the characters of a URI (RFC 3986): none other can be registered, and all are one byte in a cookie. */
const WEB_ADDRESS = /^https?:\/\/[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/i;

/** What a query string carries, malformed values left out: they are answered like none, but for a number of 13 digits. */
export function entryOfQuery(query: Readonly<Record<string, unknown>>, profile: MpxnProfile = MPXN_PROFILE): Entry {
  const { ir, mpxn, return: returnUrl } = query;
  const named = typeof ir === 'string' && IDENTITY_RECORD_KEY_PATTERN.test(ir) ? { ir } : entryOfNumber(mpxn, profile);
  return { ...named, ...(isWebAddress(returnUrl) ? { returnUrl } : {}) };
}

function entryOfNumber(mpxn: unknown, profile: MpxnProfile): Entry {
  if (typeof mpxn !== 'string') return {};
  if (mpxnFault(mpxn, profile) === undefined) return { mpxn };
  return isLongNumber(mpxn) ? { hasLongNumber: true } : {};
}

/** Whether a text is a number of 13 digits, as an MPAN is written. Where the register does not accept it, the page says what to enter instead. */
export function isLongNumber(text: string): boolean {
  return /^[0-9]{13}$/.test(withoutSpaces(text));
}

function withoutSpaces(text: string): string {
  return text.replace(/[\s-]/g, '');
}

/** What somebody typed: an e-mail address or a meter point number, as people write them; undefined when it is neither. */
export function entryOfTyping(typed: string, profile: MpxnProfile = MPXN_PROFILE): Entry | undefined {
  const text = typed.trim();
  if (text.includes('@')) return emailAddressFault(text) === undefined ? { email: text } : undefined;
  const mpxn = withoutSpaces(text).toUpperCase();
  return mpxnFault(mpxn, profile) === undefined ? { mpxn } : undefined;
}

/** Whether it says who wants to sign in. */
export function namesSomebody({ mpxn, ir, email }: Entry): boolean {
  return mpxn !== undefined || ir !== undefined || email !== undefined;
}

/** Whether a supplier's claim can be compared with it. */
export function namesMeterPoint({ mpxn, ir }: Entry): boolean {
  return mpxn !== undefined || ir !== undefined;
}

function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_URL && WEB_ADDRESS.test(value) && URL.canParse(value);
}
