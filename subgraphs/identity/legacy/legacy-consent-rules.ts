import { isInFuture } from '../../../schema/future-date';
import { LEGACY_MPXN_PATTERN, MPXN_PROFILE, mpxnViolation } from '../../../schema/mpxn';
import { RegisterError, type Violation } from '../../../schema/register-error';
import { textViolations } from '../../../schema/text-limits';
import { type WebUrlPolicy, urlViolations } from '../../server/web-address';
import type { NewIdentityRecord, PersonalData } from '../records/identity-record';
import type { NewConsent, LegacyConsentState } from './legacy-consent';
import { ukAddressViolations } from '../records/personal-data-rules';

const MAX_METHOD_LENGTH = 100;
const MAX_REFERENCE_LENGTH = 255;

/** Context of the rules. */
interface ConsentContext extends WebUrlPolicy {
  /** Instant of the call by the register's clock. */
  readonly now: Date;
}

/** A rule for consents: returns its violations. */
type ConsentRule = (consent: NewConsent, ruleContext: ConsentContext) => Violation[];

/** Rules for consents (decisions A/B, 8), in the order of their violations. The GraphQL types check keys, dates and enums. */
const consentRules: readonly ConsentRule[] = [
  ({ evidence }) =>
    textViolations(['evidence', 'userDefinedReference'], evidence.userDefinedReference, { max: MAX_REFERENCE_LENGTH }),
  ({ evidence }, { now }) => consentDateViolations(evidence, now),
  ({ evidence }, policy) => urlViolations(['evidence', 'termsUrl'], evidence.termsUrl, policy),
  ({ evidence }) => legacyMpxnViolations(['evidence', 'mpxn'], evidence.mpxn),
  ({ evidence }) => textViolations(['evidence', 'method'], evidence.method, { min: 1, max: MAX_METHOD_LENGTH }),
  ({ evidence }) => ukAddressViolations(['evidence', 'address'], evidence.address),
  ({ dataType }) => dataTypeViolations(dataType),
];

/** Returns the violations of all rules, with the paths of the GraphQL input. */
export function consentViolations(consent: NewConsent, ruleContext: ConsentContext): Violation[] {
  return consentRules.flatMap((rule) => rule(consent, ruleContext));
}

/** Returns the violation of the MPxN pattern of Interface B, which is narrower than that of GraphQL. */
export function legacyMpxnViolations(path: Violation['path'], mpxn: string): Violation[] {
  const message = mpxnViolation(mpxn, MPXN_PROFILE, LEGACY_MPXN_PATTERN);
  return message === undefined ? [] : [{ code: 'VAL001', path, message }];
}

/** The consent date is `registered-at` of the access record: not in the future, and not after the expiry. */
function consentDateViolations({ consentDate, consentExpiry }: NewConsent['evidence'], now: Date): Violation[] {
  const violation = (message: string): Violation[] => [{ code: 'VAL003', path: ['evidence', 'consentDate'], message }];
  if (isInFuture(consentDate, now)) return violation('must not be in the future');
  if (consentExpiry !== null && consentDate > consentExpiry) return violation('must not be after consent-expiry');
  return [];
}

function dataTypeViolations(dataType: NewConsent['dataType']): Violation[] {
  const path = ['dataType'];
  if (dataType.length === 0) return [{ code: 'VAL003', path, message: 'must name a data type' }];
  if (new Set(dataType).size === dataType.length) return [];
  return [{ code: 'VAL003', path, message: 'must not name a data type twice' }];
}

/**
 * Throws the error of an update that is not allowed, in the order of checks: NTF001 for an unknown consent, or one registered through
 * Interface A; PRM002 for another Data User's; VAL003 for another MPxN; CNF001 for a state other than ACTIVE.
 */
export function requireUpdatable(
  consent: LegacyConsentState | null,
  { duid, meterPointId }: { readonly duid: string; readonly meterPointId: string },
): asserts consent is LegacyConsentState {
  if (consent === null) throw new RegisterError('NTF001');
  if (consent.duid !== duid) throw new RegisterError('PRM002', 'The consent was registered by another Data User.');
  if (consent.meterPointId !== null && consent.meterPointId !== meterPointId) {
    const message = 'is not the MPxN of the consent, which an update cannot change';
    const violations: Violation[] = [{ code: 'VAL003', path: ['evidence', 'mpxn'], message }];
    throw new RegisterError('VAL003', message, { violations });
  }
  if (consent.state === 'ACTIVE') return;
  throw new RegisterError('CNF001', `The consent is ${consent.state}, not ACTIVE.`);
}

/** Returns the Identity Record of a consent. It is unverified: the Data User does not vouch for the identity. */
export function identityRecordOf({ moveInDate, evidence }: NewConsent): NewIdentityRecord {
  const { mpxn, address } = evidence;
  return {
    piiPrincipal: { mpxn, moveInDate, address },
    expressedBy: 'data-subject',
    principalVerification: null,
    email: null,
    initiatePasskeyRegistration: null,
    passkeyReturnUrl: null,
    state: null,
  };
}

const ADDRESS_LINES = ['addressLine1', 'addressLine2', 'townCity', 'county', 'postcode'] as const;

/** Whether an Identity Record has the move-in date and address of a consent. Its MPxN is the same. */
export function isSameRelationship(personal: PersonalData | null, { moveInDate, evidence }: NewConsent): boolean {
  if (personal === null) return false;
  const { piiPrincipal } = personal;
  return (
    piiPrincipal.moveInDate === moveInDate &&
    ADDRESS_LINES.every((line) => (piiPrincipal.address?.[line] ?? null) === (evidence.address?.[line] ?? null))
  );
}
