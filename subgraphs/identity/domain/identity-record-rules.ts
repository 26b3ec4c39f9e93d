import type { Violation } from '../../../schema/register-error';
import type { WebAddressRealm } from '../../server/web-address';
import { emailViolations } from './email-address';
import type { NewIdentityRecord } from './identity-record';
import { passkeyReturnUrlViolations } from './passkey-registration';
import { returnStateViolations } from './reidentification-rules';
import { principalVerificationViolations } from './principal-verification';
import { ukAddressViolations } from './uk-address';

/** One rule of registering an Identity Record: what is wrong, nothing when all is well. */
export type IdentityRecordRule = (record: NewIdentityRecord, realm: WebAddressRealm) => Violation[];

/**
 * Everything that a new Identity Record must fulfil (2-decisions-a-b.md, section 4), in the order in which it is told. The forms of
 * MPxN, dates and enums are those of their GraphQL types.
 */
export const identityRecordRules: readonly IdentityRecordRule[] = [
  ({ piiPrincipal }) => ukAddressViolations(['piiPrincipal', 'address'], piiPrincipal.address),
  ({ principalVerification }) => principalVerificationViolations(['principalVerification'], principalVerification),
  ({ email }) => emailViolations(['email'], email),
  passkeyReturnUrlViolations,
  ({ state }) => returnStateViolations(state),
];

/** All rules broken by a new Identity Record, with the paths of the GraphQL input. */
export function identityRecordViolations(record: NewIdentityRecord, realm: WebAddressRealm): Violation[] {
  return identityRecordRules.flatMap((rule) => rule(record, realm));
}
