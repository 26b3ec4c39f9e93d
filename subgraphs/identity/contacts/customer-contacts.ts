import { RegisterError } from '../../../schema/register-error';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import { refuseLimited } from '../../server/rate-limits';
import { inTransaction } from '../../server/transaction';
import { ContactLinkRepository } from '../database/contact-link.repository';
import { countContact, judgeContact, proveContacts } from '../database/contact.repository';
import { lockMeterPoint } from '../database/meter-point-lock';
import type { PasskeyRepository } from '../database/passkey.repository';
import type { SignInRepository } from '../database/sign-in.repository';
import type { Contact, ContactVerdict } from '../domain/contacts';
import { type CustomerContact, customerContacts, mayJudge } from '../domain/customer-contacts';
import type { CustomerSession } from '../domain/customer-session';
import type { Language } from '../domain/outgoing-mail';
import type { Foundation } from '../foundation';

/** Who causes the mails by which contacts are proven: they have a budget of their own. */
const PROOF = 'contact-proof';

/** What customers know of the contacts of their occupancy, and how they prove or judge them (2-decisions-a-b.md, section 11). */
export class CustomerContacts {
  private readonly links: ContactLinkRepository;
  private readonly hashOfContact: KeyedHash;

  constructor(
    private readonly foundation: Foundation,
    private readonly passkeys: PasskeyRepository,
    private readonly signIns: SignInRepository,
  ) {
    this.links = new ContactLinkRepository(foundation.database, foundation.keys);
    this.hashOfContact = keyedHash(foundation.keys.hashKey, 'contact-of-session');
  }

  /** By what a session knows a contact: nothing that another session could compare. */
  idOf({ sessionId }: Pick<CustomerSession, 'sessionId'>, contact: Contact): string {
    return this.hashOfContact(`${sessionId} ${contact}`).toString('base64url');
  }

  /** Mails a link to another address of the occupancy: pressed in this session it proves that both are one person. */
  async mailLink(session: CustomerSession, id: string, language: Language): Promise<void> {
    const { contact, kind, recordId } = this.contactOf(session, id);
    if (kind !== 'email' || session.contact === null) throw new RegisterError('REI001');
    const { database, mails } = this.foundation;
    refuseLimited(await mails.permit(recordId, PROOF));
    await inTransaction(database.pool, async (transaction) => {
      const link = await this.links.add(transaction, session.sessionId, contact);
      await mails.enqueue(transaction, { kind: 'contact-link', recordId, ...link, language });
    });
  }

  /** A mailed link that this session may use. */
  link({ sessionId }: CustomerSession, secret: string): Promise<{ readonly expiresAt: Date } | undefined> {
    return this.links.read(secret, sessionId);
  }

  /** The button of a mailed link; NTF001 when it is not good, or not in this session. */
  async proveByLink(session: CustomerSession, secret: string): Promise<void> {
    await inTransaction(this.foundation.database.pool, async (transaction) => {
      await lockMeterPoint(transaction, session.mpxnIndex);
      const contact = await this.links.use(transaction, secret, session.sessionId);
      if (contact === undefined) throw new RegisterError('NTF001');
      await proveContacts(transaction, session, this.ownContact(session), contact);
    });
  }

  /** The answer of a passkey of this occupancy, to a challenge of a sign-in that was started; AUT001 when it proves nothing. */
  async proveByPasskey(session: CustomerSession, secret: string, response: unknown): Promise<void> {
    const own = this.ownContact(session);
    const attempt = await this.signIns.takeAttempt('passkey', secret);
    const asserted = attempt && (await this.passkeys.assert(response, attempt.challenge, { isDiscovered: true }));
    const isOfOccupancy = customerContacts(session).some(
      ({ contact, standing }) => contact === asserted?.contact && standing !== 'rejected',
    );
    if (!asserted || !isOfOccupancy) throw new RegisterError('AUT001');
    await inTransaction(this.foundation.database.pool, async (transaction) => {
      await lockMeterPoint(transaction, session.mpxnIndex);
      await proveContacts(transaction, session, own, asserted.contact);
    });
  }

  /** Whom the supplier proved confirms or rejects a contact: a rejected one opens nothing from now on, and is counted. */
  async judge(session: CustomerSession, id: string, verdict: ContactVerdict): Promise<void> {
    if (!mayJudge(session)) {
      throw new RegisterError('PRM003', 'Contacts are confirmed and rejected by whom the energy supplier has proved.');
    }
    const { contact, duids } = this.contactOf(session, id);
    await inTransaction(this.foundation.database.pool, async (transaction) => {
      await lockMeterPoint(transaction, session.mpxnIndex);
      const isNew = await judgeContact(transaction, session, contact, verdict);
      if (!isNew || verdict !== 'rejected') return;
      for (const duid of duids.toSorted()) await countContact(transaction, duid, 'rejection');
    });
  }

  private ownContact({ contact }: CustomerSession): Contact {
    if (contact === null) throw new RegisterError('PRM003', 'The session was not begun by a contact.');
    return contact;
  }

  private contactOf(session: CustomerSession, id: string): CustomerContact {
    const found = customerContacts(session).find(({ contact }) => this.idOf(session, contact) === id);
    if (found === undefined) throw new RegisterError('NTF001');
    return found;
  }
}
