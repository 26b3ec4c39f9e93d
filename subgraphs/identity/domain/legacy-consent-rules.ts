import { LEGACY_MPXN_PATTERN, MPXN_PROFILE, mpxnFault } from '../../../schema/mpxn';
import { RegisterError, type Violation } from '../../../schema/register-error';
import { type WebAddressRealm, webAddressFault } from '../../server/web-address';
import type { NewIdentityRecord, PersonalData } from './identity-record';
import type { NewConsent, StandingConsent } from './legacy-consent';
import { textViolations } from './text';
import { ukAddressViolations } from './uk-address';

const LONGEST_METHOD = 100;
const LONGEST_REFERENCE = 255;
/** How far the clock of a client may be ahead. */
const TOLERANCE_MS = 5 * 60_000;

/** What the rules of a consent know beside it. */
export interface ConsentFacts extends WebAddressRealm {
  /** The register's clock, at the instant of the call. */
  readonly now: Date;
}

/** One rule of a consent: what is wrong, nothing when all is well. */
export type ConsentRule = (consent: NewConsent, facts: ConsentFacts) => Violation[];

/**
 * Everything that a consent must fulfil (2-decisions-a-b.md, section 8), in the order in which it is told. The forms of keys, dates and
 * enums are those of their GraphQL types.
 */
export const consentRules: readonly ConsentRule[] = [
  ({ evidence }) =>
    textViolations(['evidence', 'userDefinedReference'], evidence.userDefinedReference, { longest: LONGEST_REFERENCE }),
  ({ evidence }, { now }) => consentDateViolations(evidence, now),
  ({ evidence }, realm) => termsViolations(evidence.termsUrl, realm),
  ({ evidence }) => legacyMpxnViolations(['evidence', 'mpxn'], evidence.mpxn),
  ({ evidence }) => textViolations(['evidence', 'method'], evidence.method, { shortest: 1, longest: LONGEST_METHOD }),
  ({ evidence }) => ukAddressViolations(['evidence', 'address'], evidence.address),
  ({ dataType }) => dataTypeViolations(dataType),
];

/** All rules broken by a consent, with the paths of the GraphQL input. */
export function consentViolations(consent: NewConsent, facts: ConsentFacts): Violation[] {
  return consentRules.flatMap((rule) => rule(consent, facts));
}

/** The pattern of Interface B, which is narrower than that of the graph's MPxN. */
export function legacyMpxnViolations(path: Violation['path'], mpxn: string): Violation[] {
  const message = mpxnFault(mpxn, MPXN_PROFILE, LEGACY_MPXN_PATTERN);
  return message === undefined ? [] : [{ code: 'VAL001', path, message }];
}

/** The consent date is `registered-at` of the access record that the consent is: not in the future, and not after the expiry. */
function consentDateViolations({ consentDate, consentExpiry }: NewConsent['evidence'], now: Date): Violation[] {
  const refused = (message: string): Violation[] => [{ code: 'VAL003', path: ['evidence', 'consentDate'], message }];
  if (consentDate.getTime() > now.getTime() + TOLERANCE_MS) return refused('must not lie in the future');
  if (consentExpiry !== null && consentDate > consentExpiry) return refused('must not lie after consent-expiry');
  return [];
}

function termsViolations(termsUrl: string, realm: WebAddressRealm): Violation[] {
  const message = webAddressFault(termsUrl, realm);
  return message === undefined ? [] : [{ code: 'VAL008', path: ['evidence', 'termsUrl'], message }];
}

function dataTypeViolations(dataType: NewConsent['dataType']): Violation[] {
  const path = ['dataType'];
  if (dataType.length === 0) return [{ code: 'VAL003', path, message: 'must name a data type' }];
  if (new Set(dataType).size === dataType.length) return [];
  return [{ code: 'VAL003', path, message: 'must not name a data type twice' }];
}

/**
 * Refuses an update, in the order of checks: 404 for an unknown consent and for what did not come through Interface B, 403 for another
 * Data User's, 400 for another MPxN, 409 for one that is not ACTIVE.
 */
export function requireUpdatable(
  consent: StandingConsent | null,
  { duid, meterPointId }: { readonly duid: string; readonly meterPointId: string },
): asserts consent is StandingConsent {
  if (consent === null) throw new RegisterError('NTF001');
  if (consent.duid !== duid) throw new RegisterError('PRM002');
  if (consent.meterPointId !== null && consent.meterPointId !== meterPointId) {
    const message = 'is not the MPxN of the consent, which an update keeps';
    const violations: Violation[] = [{ code: 'VAL003', path: ['evidence', 'mpxn'], message }];
    throw new RegisterError('VAL003', message, { violations });
  }
  if (consent.state === 'ACTIVE') return;
  throw new RegisterError('CNF001', `The consent is ${consent.state}, not ACTIVE.`);
}

/** The Identity Record that a consent is linked to: the customer expressed it, and the Data User vouches for no more than it was told. */
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

/** Whether an Identity Record says what a consent says: the same move-in date and address. Its MPxN is the same anyway. */
export function isSameRelationship(personal: PersonalData | null, { moveInDate, evidence }: NewConsent): boolean {
  if (personal === null) return false;
  const { piiPrincipal } = personal;
  return (
    piiPrincipal.moveInDate === moveInDate &&
    ADDRESS_LINES.every((line) => (piiPrincipal.address?.[line] ?? null) === (evidence.address?.[line] ?? null))
  );
}
