import { emailAddressViolation } from '../../../schema/email-address';
import { IDENTITY_RECORD_KEY_PATTERN } from '../../../schema/identifiers';
import { MPXN_PROFILE, type MpxnProfile, mpxnViolation } from '../../../schema/mpxn';

/**
 * Identifies the customer who signs in: a value from the link that they followed, or what they entered. A sign-in
 * uses `email` before `mpxn`, and `mpxn` before `ir` (decisions A/B, 9).
 */
export interface SignInHint {
  readonly mpxn?: string;
  readonly ir?: string;
  readonly email?: string;
  /** Requested return URL. The register decides whether it is allowed. */
  readonly returnUrl?: string;
  /** The link contained a number of 13 digits that the register does not accept: the start page says what to enter. */
  readonly hasLongNumber?: true;
}

const MAX_URL_LENGTH = 2048;
/** A URL in the characters of RFC 3986: no other can be registered, and each of them takes one byte in a cookie. */
const WEB_ADDRESS = /^https?:\/\/[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/i;

/** Reads the hint of a link. Malformed values count as absent, except a number of 13 digits. */
export function hintFromQuery(
  query: Readonly<Record<string, unknown>>,
  profile: MpxnProfile = MPXN_PROFILE,
): SignInHint {
  const { ir, mpxn, return: returnUrl } = query;
  const identifier =
    typeof ir === 'string' && IDENTITY_RECORD_KEY_PATTERN.test(ir) ? { ir } : hintFromNumber(mpxn, profile);
  return { ...identifier, ...(isWebAddress(returnUrl) ? { returnUrl } : {}) };
}

function hintFromNumber(mpxn: unknown, profile: MpxnProfile): SignInHint {
  if (typeof mpxn !== 'string') return {};
  const number = numberIn(mpxn);
  if (mpxnViolation(number, profile) === undefined) return { mpxn: number };
  return isLongNumber(number) ? { hasLongNumber: true } : {};
}

/** Returns whether a text is a number of 13 digits, as an MPAN is written. */
export function isLongNumber(text: string): boolean {
  return /^[0-9]{13}$/.test(numberIn(text));
}

/** Returns a number as the register writes it: without spaces and hyphens, in capitals. */
function numberIn(text: string): string {
  return text.replace(/[\s-]/g, '').toUpperCase();
}

/**
 * Parses what a customer entered: an e-mail address or a meter point number, with spaces or hyphens. Returns undefined
 * if it is neither.
 */
export function hintFromInput(input: string, profile: MpxnProfile = MPXN_PROFILE): SignInHint | undefined {
  const text = input.trim();
  if (text.includes('@')) return emailAddressViolation(text) === undefined ? { email: text } : undefined;
  const mpxn = numberIn(text);
  return mpxnViolation(mpxn, profile) === undefined ? { mpxn } : undefined;
}

/** Returns whether a sign-in can start with this hint. */
export function identifiesCustomer({ mpxn, ir, email }: SignInHint): boolean {
  return mpxn !== undefined || ir !== undefined || email !== undefined;
}

/** Returns whether the register can compare a supplier's claim with this hint. */
export function identifiesMeterPoint({ mpxn, ir }: SignInHint): boolean {
  return mpxn !== undefined || ir !== undefined;
}

function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_URL_LENGTH && WEB_ADDRESS.test(value) && URL.canParse(value);
}
