import { RegisterError } from '../../../schema/register-error';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import { rejectLimited } from '../../server/callers/rate-limits';
import { inTransaction } from '../../server/database/transaction';
import { ContactLinkRepository } from './contact-link.repository';
import { countContact, judgeContact, proveContacts } from './contact.repository';
import { lockMeterPoint } from '../locks.sql';
import { challengeIn } from '../passkeys/webauthn.flow';
import type { SignInRepository } from '../sign-in/sign-in.repository';
import { type CustomerContact, customerContacts, mayJudge, verdictOn } from './customer-contacts';
import type { CustomerSession } from '../sign-in/customer-session';
import type { Language } from '../mails/outgoing-mail';
import type { IdentityDependencies } from '../dependencies';
import type { Contact, ContactVerdict } from './contact';

/** Cause of the mails by which contacts are proven; it has its own rate limit. */
const PROOF = 'contact-proof';

/** Contacts of the occupancy of a session: how customers read, prove, confirm and reject them (decisions A/B, 11). */
export class CustomerContacts {
  private readonly links: ContactLinkRepository;
  private readonly hashOfContact: KeyedHash;

  constructor(
    private readonly dependencies: IdentityDependencies,
    private readonly signIns: SignInRepository,
  ) {
    this.links = new ContactLinkRepository(dependencies.database, dependencies.keys);
    this.hashOfContact = keyedHash(dependencies.keys.hashKey, 'contact-of-session');
  }

  /** Returns the id of a contact in a session; ids of two sessions cannot be compared. */
  idOf({ sessionId }: Pick<CustomerSession, 'sessionId'>, contact: Contact): string {
    return this.hashOfContact(`${sessionId} ${contact}`).toString('base64url');
  }

  /** Mails a link to another address of the occupancy. Confirmed in this session, it proves that both belong to one person or household. */
  async mailLink(session: CustomerSession, id: string, language: Language): Promise<void> {
    const { contact, kind, recordId } = this.contactOf(session, id);
    if (kind !== 'email' || session.contact === null) throw new RegisterError('REI001');
    const { database, mails } = this.dependencies;
    rejectLimited(await mails.permit(recordId, PROOF));
    await inTransaction(database.pool, async (transaction) => {
      const link = await this.links.add(transaction, session.sessionId, contact);
      await mails.enqueue(transaction, { kind: 'contact-link', recordId, ...link, language });
    });
  }

  /** Returns a mailed link that this session can use; undefined otherwise. */
  link({ sessionId }: CustomerSession, secret: string): Promise<{ readonly expiresAt: Date } | undefined> {
    return this.links.read(secret, sessionId);
  }

  /** Confirms a mailed link. Throws NTF001 if it is not valid in this session. */
  async proveByLink(session: CustomerSession, secret: string): Promise<void> {
    await inTransaction(this.dependencies.database.pool, async (transaction) => {
      await lockMeterPoint(transaction, session.mpxnIndex);
      const contact = await this.links.use(transaction, secret, session.sessionId);
      if (contact === undefined) throw new RegisterError('NTF001');
      await proveContacts(transaction, session, this.ownContact(session), contact);
    });
  }

  /** Proves a passkey of the occupancy by its response to a started sign-in. Throws AUT001 if the response is rejected. */
  async proveByPasskey(session: CustomerSession, secret: string, response: unknown): Promise<void> {
    const own = this.ownContact(session);
    const signed = challengeIn(response);
    const attempt = await this.signIns.takeAttempt('passkey', secret, ({ challenge }) => challenge === signed);
    const asserted =
      attempt && (await this.dependencies.passkeys.assert(response, attempt.challenge, { isDiscovered: true }));
    const isOfOccupancy = customerContacts(session).some(
      ({ contact, standing }) => contact === asserted?.contact && standing !== 'rejected',
    );
    if (!asserted || !isOfOccupancy) throw new RegisterError('AUT001');
    await inTransaction(this.dependencies.database.pool, async (transaction) => {
      await lockMeterPoint(transaction, session.mpxnIndex);
      await proveContacts(transaction, session, own, asserted.contact);
    });
  }

  /** Confirms or rejects a contact for a customer signed in at the supplier. A rejected contact gives access to nothing, and is counted. */
  async judge(session: CustomerSession, id: string, verdict: ContactVerdict): Promise<void> {
    if (!mayJudge(session)) {
      throw new RegisterError(
        'PRM003',
        'Only a customer who signed in at the energy supplier confirms and rejects contacts.',
      );
    }
    const judged = this.contactOf(session, id);
    await inTransaction(this.dependencies.database.pool, async (transaction) => {
      await lockMeterPoint(transaction, session.mpxnIndex);
      const isNew = await judgeContact(transaction, session, judged, {
        from: verdictOn(session, judged.contact),
        to: verdict,
      });
      if (!isNew || verdict !== 'rejected') return;
      for (const duid of judged.duids.toSorted()) await countContact(transaction, duid, 'rejection');
    });
  }

  private ownContact({ contact }: CustomerSession): Contact {
    if (contact === null) throw new RegisterError('PRM003', 'The session was not started by a contact.');
    return contact;
  }

  private contactOf(session: CustomerSession, id: string): CustomerContact {
    const found = customerContacts(session).find(({ contact }) => this.idOf(session, contact) === id);
    if (found === undefined) throw new RegisterError('NTF001');
    return found;
  }
}
