import { emailAddressFault } from '../../../schema/email-address';
import { RTI_USER_ID_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';
import { type Realm, addressFaults, lengthFaults, patternFault } from './entry-limits';
import type { RegisterEntryStatus } from './register-entry-status';

/** Whom suppliers turn to; only they, admins and the RTI User itself see it. */
export interface RtiContact {
  name?: string | null;
  email?: string | null;
  telephone?: string | null;
}

/** What an admin enters of an RTI User (3-decisions-c-d.md, D.2). */
export interface RtiUserInput {
  /** `^usr_[0-9a-f]{32}$`; absent for a new one: the register generates it. */
  userId?: string | null;
  /** Legal name. */
  name: string;
  /** Short trading name. */
  displayName: string;
  /** Free-form: an address, a URL or a telephone number. */
  support: string;
  webhookUrl?: string | null;
  contact?: RtiContact | null;
}

/** An RTI User's register entry: what was not said is null. */
export interface RtiUser {
  userId: string;
  name: string;
  displayName: string;
  status: RegisterEntryStatus;
  support: string;
  webhookUrl: string | null;
  contact: RtiContact | null;
  lastModified: Date;
}

/** Characters: shortest and longest. */
const LENGTHS = { name: [1, 200], displayName: [1, 100], support: [1, 200] } as const;
const CONTACT_LENGTHS = { name: [1, 200], telephone: [1, 50] } as const;

/** All that is wrong with an RTI User's entry: VAL001 patterns, VAL003 lengths, VAL008 addresses. */
export function rtiUserViolations(input: RtiUserInput, realm: Realm): Violation[] {
  return [
    ...patternFault('userId', input.userId, RTI_USER_ID_PATTERN),
    ...lengthFaults(input, LENGTHS),
    ...addressFaults(input, ['webhookUrl'], realm),
    ...contactFaults(input.contact ?? {}),
  ];
}

function contactFaults(contact: RtiContact): Violation[] {
  const fault = contact.email == null ? undefined : emailAddressFault(contact.email);
  return [
    ...lengthFaults(contact, CONTACT_LENGTHS, ['contact']),
    ...(fault === undefined ? [] : [{ ...fault, path: ['contact', 'email'] }]),
  ];
}
