import { RegisterError } from '../../../schema/register-error';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import { rejectLimited } from '../../server/callers/rate-limits';
import { type Session, inTransaction } from '../../server/database/transaction';
import { ContactLinkRepository } from './contact-link.repository';
import { countContact, judgeContact, proveContacts } from './contact.repository';
import { holds } from './contacts';
import { lockMeterPoint } from '../locks.sql';
import { challengeIn } from '../passkeys/webauthn.flow';
import type { SignInRepository } from '../sign-in/sign-in.repository';
import { type CustomerContact, customerContacts, mayJudge, verdictOn } from './customer-contacts';
import type { CustomerSession } from '../sign-in/customer-session';
import type { Language } from '../mails/outgoing-mail';
import type { IdentityDependencies } from '../dependencies';
import type { Contact, ContactVerdict } from './contact';

/**
 * Cause of the mails by which the contact of a session proves others. All contacts of the same Data Users have one rate limit, except the oldest,
 * which has its own. So one Data User's contacts neither multiply the mails to an address nor use up the limit of a contact that another one
 * registered as well, or that was there before a thief of the Data User's secret registered more.
 */
const PROOF = 'contact-proof';

/** Reads the session of the caller. Throws AUT001 if it has ended. */
type ReadSession = () => Promise<CustomerSession>;

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
  async mailLink(current: ReadSession, id: string, language: Language): Promise<void> {
    const session = await current();
    const { kind, recordId } = this.contactOf(session, id);
    if (kind !== 'email' || session.contact === null) throw new RegisterError('REI001');
    const { mails } = this.dependencies;
    rejectLimited(await mails.permit(recordId, `${PROOF} ${limitOf(session, session.contact)}`));
    await this.locked(current, async (transaction, now) => {
      const link = await this.links.add(transaction, now.sessionId, this.contactOf(now, id).contact);
      await mails.enqueue(transaction, { kind: 'contact-link', recordId, ...link, language });
    });
  }

  /** Returns a mailed link that this session can use; undefined otherwise. */
  link({ sessionId }: CustomerSession, secret: string): Promise<{ readonly expiresAt: Date } | undefined> {
    return this.links.read(secret, sessionId);
  }

  /** Confirms a mailed link. Throws NTF001 if it is not valid in this session. */
  async proveByLink(current: ReadSession, secret: string): Promise<void> {
    await this.locked(current, async (transaction, session) => {
      const contact = await this.links.use(transaction, secret, session.sessionId);
      if (contact === undefined) throw new RegisterError('NTF001');
      await proveContacts(transaction, session, this.ownContact(session), contact);
    });
  }

  /** Proves a passkey of the occupancy by its response to a started sign-in. Throws AUT001 if the response is rejected. */
  async proveByPasskey(current: ReadSession, secret: string, response: unknown): Promise<void> {
    this.ownContact(await current());
    const signed = challengeIn(response);
    const attempt = await this.signIns.takeAttempt('passkey', secret, ({ challenge }) => challenge === signed);
    const asserted =
      attempt && (await this.dependencies.passkeys.assert(response, attempt.challenge, { isDiscovered: true }));
    if (!asserted) throw new RegisterError('AUT001');
    await this.locked(current, async (transaction, session) => {
      const isOfOccupancy = customerContacts(session).some(
        ({ contact, standing }) => contact === asserted.contact && standing !== 'rejected',
      );
      if (!isOfOccupancy) throw new RegisterError('AUT001');
      await proveContacts(transaction, session, this.ownContact(session), asserted.contact);
    });
  }

  /** Confirms or rejects a contact for a customer signed in at the supplier. A rejected contact gives access to nothing, and is counted. */
  async judge(current: ReadSession, id: string, verdict: ContactVerdict): Promise<void> {
    await this.locked(current, async (transaction, session) => {
      if (!mayJudge(session)) {
        throw new RegisterError(
          'PRM003',
          'Only a customer who signed in at the energy supplier confirms and rejects contacts.',
        );
      }
      const judged = this.contactOf(session, id);
      const verdicts = { from: verdictOn(session, judged.contact), to: verdict };
      const isNew = await judgeContact(transaction, session, judged, verdicts);
      if (!isNew || verdict !== 'rejected') return;
      for (const duid of judged.duids.toSorted()) await countContact(transaction, duid, 'rejection');
    });
  }

  /**
   * Runs `work` in a transaction that has locked the meter point, with the session as it is then: while the transaction waited, a contact may
   * have been erased, of which nothing may be stored any more, or judged.
   */
  private async locked(
    current: ReadSession,
    work: (transaction: Session, session: CustomerSession) => Promise<void>,
  ): Promise<void> {
    const { mpxnIndex } = await current();
    await inTransaction(this.dependencies.database.pool, async (transaction) => {
      await lockMeterPoint(transaction, mpxnIndex);
      await work(transaction, await current());
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

/** Returns the name of the rate limit of a contact's proofs: the Data Users that registered it, and whether it is the oldest that they did. */
function limitOf(session: CustomerSession, own: Contact): string {
  const registrants = registrantsOf(session, own);
  const ofTenancy = customerContacts(session); // oldest first
  const oldest = ofTenancy.find(({ contact }) => registrantsOf(session, contact) === registrants);
  return `${registrants} ${oldest?.contact === own ? 'first' : 'later'}`;
}

/** Returns the Data Users that registered a contact of the meter point, sorted. */
function registrantsOf({ atMeterPoint }: CustomerSession, contact: Contact): string {
  const records = atMeterPoint.filter((record) => holds(record, contact));
  return [...new Set(records.map(({ duid }) => duid))].toSorted().join(' ');
}
