import { emailInputViolation } from '../../../schema/email-address';
import { POSTCODE_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';
import { textViolations } from '../../../schema/text-limits';
import type { UkAddress } from './identity-record';

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
