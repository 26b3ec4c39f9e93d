import { randomBytes } from 'node:crypto';
import { seal, unseal } from '../../server/sealed';
import type { PersonalData } from '../domain/identity-record';

const DATA_KEY_BYTES = 32;

/** Version of the JSON that is sealed; a row says which one it holds. */
export const PERSONAL_DATA_FORM = 1;

/** Personal data under a data key of its own, and that key under the key-encryption key. */
export interface SealedPersonalData {
  readonly sealed: Buffer;
  readonly wrappedKey: Buffer;
}

/** Seals and opens personal data. Destroying the wrapped key of a record makes its personal data unreadable for ever. */
export interface PersonalDataVault {
  seal(recordId: string, personal: PersonalData): SealedPersonalData;
  open(recordId: string, { sealed, wrappedKey }: SealedPersonalData): PersonalData;
  /** Seals something more under the data key of a record, for one place (`bound`), where alone it opens again. */
  sealFurther(recordId: string, wrappedKey: Buffer, plain: string, bound: string): Buffer;
  openFurther(recordId: string, wrappedKey: Buffer, sealed: Buffer, bound: string): string;
}

/** A vault under a key-encryption key of 32 bytes. What is sealed for one record does not open for another. */
export function personalDataVault(keyEncryptionKey: Buffer): PersonalDataVault {
  const dataKeyOf = (recordId: string, wrappedKey: Buffer) =>
    unseal(keyEncryptionKey, wrappedKey, `data_key ${recordId}`);
  return {
    seal(recordId, personal) {
      const dataKey = randomBytes(DATA_KEY_BYTES);
      return {
        sealed: seal(dataKey, JSON.stringify(personal), `identity_record ${recordId}`),
        wrappedKey: seal(keyEncryptionKey, dataKey, `data_key ${recordId}`),
      };
    },
    open(recordId, { sealed, wrappedKey }) {
      const dataKey = dataKeyOf(recordId, wrappedKey);
      return revived(
        JSON.parse(unseal(dataKey, sealed, `identity_record ${recordId}`).toString('utf8')) as PersonalData,
      );
    },
    sealFurther: (recordId, wrappedKey, plain, bound) =>
      seal(dataKeyOf(recordId, wrappedKey), plain, `${bound} of ${recordId}`),
    openFurther: (recordId, wrappedKey, sealed, bound) =>
      unseal(dataKeyOf(recordId, wrappedKey), sealed, `${bound} of ${recordId}`).toString('utf8'),
  };
}

/** JSON has no instants: the one in the verification evidence becomes a Date again. */
function revived(personal: PersonalData): PersonalData {
  const { principalVerification } = personal;
  if (principalVerification === null) return personal;
  return {
    ...personal,
    principalVerification: { ...principalVerification, verifiedAt: new Date(principalVerification.verifiedAt) },
  };
}
