import type { Violation } from '../../../schema/register-error';
import { passkeyReturnUrlViolations } from '../passkeys/passkey';
import { type ReturnUrlPolicy, returnStateViolations } from '../reidentification/reidentification-rules';
import type { NewIdentityRecord } from './identity-record';
import { emailViolations, ukAddressViolations } from './personal-data-rules';
import { principalVerificationViolations } from './principal-verification';

/** A rule for new Identity Records: returns its violations. */
type IdentityRecordRule = (record: NewIdentityRecord, policy: IdentityRecordPolicy) => Violation[];

/** What the rules for new Identity Records depend on, besides the record. */
interface IdentityRecordPolicy extends ReturnUrlPolicy {
  /** Time of the request by the register's clock. */
  readonly now: Date;
}

/** Rules for new Identity Records (decisions A/B, 4), in the order of their violations. The GraphQL types check MPxN, dates and enums. */
const identityRecordRules: readonly IdentityRecordRule[] = [
  ({ piiPrincipal }) => ukAddressViolations(['piiPrincipal', 'address'], piiPrincipal.address),
  ({ principalVerification }, { now }) =>
    principalVerificationViolations(['principalVerification'], principalVerification, now),
  ({ email }) => emailViolations(['email'], email),
  passkeyReturnUrlViolations,
  ({ state }) => returnStateViolations(state),
];

/** Returns the violations of all rules, with the paths of the GraphQL input. */
export function identityRecordViolations(record: NewIdentityRecord, policy: IdentityRecordPolicy): Violation[] {
  return identityRecordRules.flatMap((rule) => rule(record, policy));
}

/** Criteria by which a Data User searches its Identity Records; both together narrow the search. */
export interface IdentityRecordSearch {
  readonly mpxn: string | null;
  readonly email: string | null;
}

/** A search requires the MPxN, the e-mail address or both. */
export function identityRecordSearchViolations({ mpxn, email }: IdentityRecordSearch): Violation[] {
  if (mpxn === null && email === null)
    return [{ code: 'VAL002', path: ['mpxn'], message: 'mpxn or email is required' }];
  return emailViolations(['email'], email);
}

/** Maximum live Identity Records of a Data User for a meter point and occupancy (decisions A/B, 4). */
export const MAX_RECORDS_OF_DATA_USER = 5;

/** Messages of limits (LIM002). */
export const TOO_MANY_EXISTENCE_CHECKS = 'Too many existence checks and re-identifications of this account.';
export const TOO_MANY_MAILS = 'Too many mails to this customer.';
