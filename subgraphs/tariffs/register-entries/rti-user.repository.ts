import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { fingerprintOf } from '../../server/audit/audit.repository';
import { storedFingerprint } from '../../server/damaged-values';
import type { KeyedHash } from '../../server/keyed-hash';
import { RegisterEntryRepository, type SavedEntry } from './register-entry.repository';
import type { ContactCipher, RtiContact, RtiUserInput } from './rti-user';
import { RTI_USER, type RtiUserQueries, type StoredRtiUser } from './rti-user.queries';

/** Writes entries of RTI Users, with their contacts encrypted. */
export class RtiUserRepository extends RegisterEntryRepository<StoredRtiUser> {
  constructor(
    pool: Pool,
    private readonly rtiUsers: RtiUserQueries,
    private readonly contacts: ContactCipher,
    /** Keyed, because a contact can be guessed. */
    hashOfContact: KeyedHash,
  ) {
    const fingerprint = (text: string) => fingerprintOf(hashOfContact(text));
    const ofContact = (contact: RtiContact | null) => fingerprint(textOf(contact));
    super(pool, RTI_USER, (entry) => ({
      support: fingerprint(entry.support),
      contact: entry.contactSealed && storedFingerprint(rtiUsers.contactOf(entry), ofContact),
    }));
  }

  /**
   * Creates or corrects an entry; without an identifier creates a new one. Encryption is randomised, so an equal contact keeps its stored
   * bytes: saving an equal entry then leaves `last_modified` as it is. A damaged contact differs from every new one. CNF001 if the entry is removed.
   */
  async save({ contact = null, ...input }: RtiUserInput, actor: string): Promise<SavedEntry<StoredRtiUser>> {
    const userId = input.userId ?? `usr_${randomBytes(16).toString('hex')}`;
    const stored = input.userId == null ? null : await this.rtiUsers.byKey(userId);
    const former = stored === null ? undefined : this.rtiUsers.contactOf(stored);
    const isEqual = stored !== null && former !== undefined && textOf(former) === textOf(contact);
    const contactSealed = isEqual ? stored.contactSealed : contact && this.contacts.encrypt(userId, contact);
    return this.upsert({ ...input, userId, contactSealed }, actor);
  }
}

/** A text that equal contacts share: an absent field equals null. */
function textOf(contact: RtiContact | null): string {
  return JSON.stringify(contact && [contact.name ?? null, contact.email ?? null, contact.telephone ?? null]);
}
