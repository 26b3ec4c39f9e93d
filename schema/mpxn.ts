import { MPXN_PATTERN } from './identifiers';

/**
 * Which meter point numbers are accepted (2-decisions-a-b.md, section 1): `spec` is the specification's pattern as
 * written; `gb` also accepts the 13-digit MPAN core (check digit verified) and MPRNs of 6 to 10 digits.
 */
export type MpxnProfile = 'spec' | 'gb';

const MPAN_CORE = /^[0-9]{13}$/;
const MPRN = /^[0-9]{6,10}$/;
const MPAN_WEIGHTS = [3, 5, 7, 13, 17, 19, 23, 29, 31, 37, 41, 43];

/**
 * The narrower pattern of Interface B (1-specification.md, Common types), exactly as written, in this one place: its contract has it,
 * and the rules of a consent check it for callers that come past the contract.
 */
export const LEGACY_MPXN_PATTERN = /^(?:[0-9A-HJ-NPR-Z]{2}[0-9]{8,9}[0-9]|[0-9]{10})$/;

/**
 * Undefined when the value is a meter point number of the profile, else the reason, which never echoes the value. The pattern is that
 * of Interface A unless given.
 */
export function mpxnFault(value: string, profile: MpxnProfile, pattern = MPXN_PATTERN): string | undefined {
  if (pattern.test(value)) return undefined;
  if (profile === 'gb') {
    if (MPRN.test(value)) return undefined;
    if (!MPAN_CORE.test(value)) return 'is neither an MPAN nor an MPRN';
    return hasMpanCheckDigit(value) ? undefined : 'has 13 digits, but not the check digit of an MPAN';
  }
  return MPAN_CORE.test(value)
    ? 'has 13 digits; this register runs with MPXN_PROFILE=spec, MPXN_PROFILE=gb accepts the 13-digit MPAN core'
    : 'does not match the MPxN pattern';
}

/** The check digit of an MPAN core: the weighted sum of the first twelve digits modulo 11 modulo 10. */
function hasMpanCheckDigit(core: string): boolean {
  const sum = MPAN_WEIGHTS.reduce((total, weight, index) => total + weight * Number(core[index]), 0);
  return (sum % 11) % 10 === Number(core[12]);
}

/** The profile that this process runs with (setting MPXN_PROFILE; settings.ts refuses any other value). */
export const MPXN_PROFILE: MpxnProfile = process.env['MPXN_PROFILE'] === 'gb' ? 'gb' : 'spec';
