import { emailAddressViolation } from '../../../schema/email-address';
import { RTI_USER_ID_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';
import type { WebUrlPolicy } from '../../server/web-address';
import { addressViolations, lengthViolations, patternViolations } from './entry-limits';
import type { RegisterEntryStatus } from './register-entry-status';
import { encryptValue, decryptValue } from '../../server/encryption';

/** The contact of an RTI User for suppliers. Suppliers, admins and the RTI User itself may read it. */
export interface RtiContact {
  name?: string | null;
  email?: string | null;
  telephone?: string | null;
}

/** An RTI User's entry as an admin enters it (decisions C/D, D.2). */
export interface RtiUserInput {
  /** `^usr_[0-9a-f]{32}$`; absent for a new entry: the register generates it. */
  userId?: string | null;
  /** Legal name. */
  name: string;
  /** Short trading name. */
  displayName: string;
  /** Free text: an e-mail address, a URL or a telephone number. */
  support: string;
  webhookUrl?: string | null;
  contact?: RtiContact | null;
}

/** An RTI User's entry in the register; an absent field is null. */
export type RtiUser = { [Field in keyof RtiUserInput]-?: Exclude<RtiUserInput[Field], undefined> } & {
  userId: string;
  status: RegisterEntryStatus;
  lastModified: Date;
};

const LENGTHS = { name: [1, 200], displayName: [1, 100], support: [1, 200] } as const;
const CONTACT_LENGTHS = { name: [1, 200], telephone: [1, 50] } as const;

/** Returns all violations of an RTI User's entry: VAL001 patterns, VAL003 lengths, VAL008 addresses. */
export function rtiUserViolations(input: RtiUserInput, policy: WebUrlPolicy): Violation[] {
  return [
    ...patternViolations('userId', input.userId, RTI_USER_ID_PATTERN),
    ...lengthViolations(input, LENGTHS),
    ...addressViolations(input, ['webhookUrl'], policy),
    ...contactViolations(input.contact ?? {}),
  ];
}

function contactViolations(contact: RtiContact): Violation[] {
  const violation = contact.email == null ? undefined : emailAddressViolation(contact.email);
  return [
    ...lengthViolations(contact, CONTACT_LENGTHS, ['contact']),
    ...(violation === undefined ? [] : [{ ...violation, path: ['contact', 'email'] }]),
  ];
}

/** Encrypts contacts of RTI Users: they name people. */
export interface ContactCipher {
  encrypt(userId: string, contact: RtiContact): Buffer;
  /** Throws if the bytes were encrypted for another RTI User. */
  decrypt(userId: string, encrypted: Buffer): RtiContact;
}

/** Returns the cipher of an encryption key of `tariffs`. It authenticates the `userId`. */
export function contactCipher(encryptionKey: Buffer): ContactCipher {
  const bound = (userId: string) => `contact ${userId}`;
  return {
    encrypt: (userId, contact) => encryptValue(encryptionKey, JSON.stringify(contact), bound(userId)),
    decrypt: (userId, encrypted) =>
      JSON.parse(decryptValue(encryptionKey, encrypted, bound(userId)).toString('utf8')) as RtiContact,
  };
}
