import { POSTCODE_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';
import type { UkAddress } from './identity-record';
import { textViolations } from './text';

const LONGEST = 100;

/** A UKAddress: every line at most 100 characters, the required ones not empty, and a postcode of its pattern. */
export function ukAddressViolations(path: Violation['path'], address: UkAddress | null): Violation[] {
  if (address === null) return [];
  return [
    ...textViolations([...path, 'addressLine1'], address.addressLine1, { shortest: 1, longest: LONGEST }),
    ...textViolations([...path, 'addressLine2'], address.addressLine2, { longest: LONGEST }),
    ...textViolations([...path, 'townCity'], address.townCity, { shortest: 1, longest: LONGEST }),
    ...textViolations([...path, 'county'], address.county, { longest: LONGEST }),
    ...postcodeViolations([...path, 'postcode'], address.postcode),
  ];
}

function postcodeViolations(path: Violation['path'], postcode: string): Violation[] {
  return POSTCODE_PATTERN.test(postcode) ? [] : [{ code: 'VAL001', path, message: 'is not a postcode' }];
}
