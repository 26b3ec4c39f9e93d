import { MPXN_PATTERN } from './identifiers';

/**
 * Accepted meter point numbers (decisions A/B, 1): `spec` is the pattern of the specification; `gb` also accepts the 13-digit MPAN core,
 * with its check digit verified, and MPRNs of 6 to 10 digits.
 */
export type MpxnProfile = 'spec' | 'gb';

const MPAN_CORE = /^[0-9]{13}$/;
const MPRN = /^[0-9]{6,10}$/;
const MPAN_WEIGHTS = [3, 5, 7, 13, 17, 19, 23, 29, 31, 37, 41, 43];

/**
 * The narrower pattern of Interface B (specification, Common types), exactly as written. The REST contract contains it; the rules of a
 * consent check it for GraphQL callers.
 */
export const LEGACY_MPXN_PATTERN = /^(?:[0-9A-HJ-NPR-Z]{2}[0-9]{8,9}[0-9]|[0-9]{10})$/;

/**
 * Returns undefined for a meter point number of the profile, otherwise the violation, which does not contain the value. The default pattern
 * is that of Interface A.
 */
export function mpxnViolation(value: string, profile: MpxnProfile, pattern = MPXN_PATTERN): string | undefined {
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

/** Verifies the check digit of an MPAN core: the weighted sum of the first twelve digits modulo 11 modulo 10. */
function hasMpanCheckDigit(core: string): boolean {
  const sum = MPAN_WEIGHTS.reduce((total, weight, index) => total + weight * Number(core[index]), 0);
  return (sum % 11) % 10 === Number(core[12]);
}

/** Profile of this process, from MPXN_PROFILE. `process/settings/read-settings.ts` rejects any other value. */
export const MPXN_PROFILE: MpxnProfile = process.env['MPXN_PROFILE'] === 'gb' ? 'gb' : 'spec';
