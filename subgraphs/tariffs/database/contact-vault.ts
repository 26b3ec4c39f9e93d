import { seal, unseal } from '../../server/sealed';
import type { RtiContact } from '../domain/rti-user';

/** Contacts of RTI Users name people: they are stored sealed. */
export interface ContactVault {
  seal(userId: string, contact: RtiContact): Buffer;
  open(userId: string, sealed: Buffer): RtiContact;
}

/** A vault under the encryption key of `tariffs`; what is sealed for one RTI User does not open for another. */
export function contactVault(encryptionKey: Buffer): ContactVault {
  const bound = (userId: string) => `contact ${userId}`;
  return {
    seal: (userId, contact) => seal(encryptionKey, JSON.stringify(contact), bound(userId)),
    open: (userId, sealed) => JSON.parse(unseal(encryptionKey, sealed, bound(userId)).toString('utf8')) as RtiContact,
  };
}
