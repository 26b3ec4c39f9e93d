import { randomBytes } from 'node:crypto';
import { encryptValue, decryptValue } from '../../server/encryption';
import type { PersonalData } from './identity-record';

const DATA_KEY_BYTES = 32;

/** Version of the encrypted JSON, stored in each row. */
export const PERSONAL_DATA_FORM = 1;

/** Encrypted personal data and its wrapped data key. */
interface EncryptedPersonalData {
  readonly sealed: Buffer;
  readonly wrappedKey: Buffer;
}

/** Encrypts and decrypts personal data. After its wrapped data key is deleted, the personal data of a record is unreadable. */
export interface PersonalDataCipher {
  encryptValue(recordId: string, personal: PersonalData): EncryptedPersonalData;
  open(recordId: string, { sealed, wrappedKey }: EncryptedPersonalData): PersonalData;
  /** Encrypts further data under the data key of a record. `bound` is associated data that names where it is stored. */
  encryptFurther(recordId: string, wrappedKey: Buffer, plain: string, bound: string): Buffer;
  openFurther(recordId: string, wrappedKey: Buffer, sealed: Buffer, bound: string): string;
}

/** A cipher with a key-encryption key of 32 bytes. Record ids are associated data: data of one record does not decrypt for another. */
export function personalDataCipher(keyEncryptionKey: Buffer): PersonalDataCipher {
  const dataKeyOf = (recordId: string, wrappedKey: Buffer) =>
    decryptValue(keyEncryptionKey, wrappedKey, `data_key ${recordId}`);
  return {
    encryptValue(recordId, personal) {
      const dataKey = randomBytes(DATA_KEY_BYTES);
      return {
        sealed: encryptValue(dataKey, JSON.stringify(personal), `identity_record ${recordId}`),
        wrappedKey: encryptValue(keyEncryptionKey, dataKey, `data_key ${recordId}`),
      };
    },
    open(recordId, { sealed, wrappedKey }) {
      const dataKey = dataKeyOf(recordId, wrappedKey);
      return revived(
        JSON.parse(decryptValue(dataKey, sealed, `identity_record ${recordId}`).toString('utf8')) as PersonalData,
      );
    },
    encryptFurther: (recordId, wrappedKey, plain, bound) =>
      encryptValue(dataKeyOf(recordId, wrappedKey), plain, `${bound} of ${recordId}`),
    openFurther: (recordId, wrappedKey, sealed, bound) =>
      decryptValue(dataKeyOf(recordId, wrappedKey), sealed, `${bound} of ${recordId}`).toString('utf8'),
  };
}

/** Returns a function that decrypts personal data at its first call, which takes about 8 µs, and returns it at every call. */
export function decryptedOnce(
  cipher: PersonalDataCipher,
  recordId: string,
  encrypted: EncryptedPersonalData,
): () => PersonalData {
  let personal: PersonalData | undefined;
  return () => (personal ??= cipher.open(recordId, encrypted));
}

/** Converts the time of the verification evidence, a string in JSON, back into a Date. */
function revived(personal: PersonalData): PersonalData {
  const { principalVerification } = personal;
  if (principalVerification === null) return personal;
  return {
    ...personal,
    principalVerification: { ...principalVerification, verifiedAt: new Date(principalVerification.verifiedAt) },
  };
}
