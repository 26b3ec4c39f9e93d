import { emailInputViolation } from '../../../schema/email-address';
import { POSTCODE_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';
import { isWellFormed } from '../../../schema/well-formed-text';
import { hasVisibleCharacter } from '../../../schema/visible-text';
import type { UkAddress } from './identity-record';

/**
 * Returns the violations of a text's limits in characters, not bytes. A text with a minimum length needs a visible character. A null text
 * has no violations.
 */
export function textViolations(
  path: Violation['path'],
  text: string | null,
  { min = 0, max }: { readonly min?: number; readonly max: number },
): Violation[] {
  if (text === null) return [];
  if (!isWellFormed(text)) return [{ code: 'VAL001', path, message: 'contains a character that cannot be stored' }];
  const length = [...text].length;
  if (length < min) return [{ code: 'VAL003', path, message: 'must not be empty' }];
  if (length > max) return [{ code: 'VAL003', path, message: `is longer than ${max} characters` }];
  if (min > 0 && !hasVisibleCharacter(text))
    return [{ code: 'VAL003', path, message: 'must have a visible character' }];
  return [];
}

/** Normal form in which e-mail addresses are hashed and compared: trimmed and lower case (decisions A/B, 1). */
export function comparableEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Returns the violations of an e-mail address; surrounding white space is allowed. */
export function emailViolations(path: Violation['path'], email: string | null): Violation[] {
  const violation = email === null ? undefined : emailInputViolation(email);
  return violation === undefined ? [] : [{ ...violation, path }];
}

const MAX_LINE_LENGTH = 100;

/**
 * Returns the violations of an address: lines have at most 100 characters, required ones at least 1, and the postcode matches its pattern.
 */
export function ukAddressViolations(path: Violation['path'], address: UkAddress | null): Violation[] {
  if (address === null) return [];
  return [
    ...textViolations([...path, 'addressLine1'], address.addressLine1, { min: 1, max: MAX_LINE_LENGTH }),
    ...textViolations([...path, 'addressLine2'], address.addressLine2, { max: MAX_LINE_LENGTH }),
    ...textViolations([...path, 'townCity'], address.townCity, { min: 1, max: MAX_LINE_LENGTH }),
    ...textViolations([...path, 'county'], address.county, { max: MAX_LINE_LENGTH }),
    ...postcodeViolations([...path, 'postcode'], address.postcode),
  ];
}

function postcodeViolations(path: Violation['path'], postcode: string): Violation[] {
  return POSTCODE_PATTERN.test(postcode) ? [] : [{ code: 'VAL001', path, message: 'is not a postcode' }];
}
