import { ContactCountRepository } from '../database/contact-count.repository';
import { PasskeyRepository } from '../database/passkey.repository';
import { SignInRepository } from '../database/sign-in.repository';
import type { Area, Foundation } from '../foundation';
import { relyingParty } from '../reidentification/webauthn';
import { ContactCountResolver } from '../resolvers/contact-count.resolver';
import { CustomerContactResolver } from '../resolvers/customer-contact.resolver';
import type { CustomerSessions } from '../sign-in/customer-sessions';
import { signInLimit } from '../sign-in/sign-in-limit';
import { NOTE_CONTESTS, contactNotes } from './contact-notes';
import { CustomerContacts } from './customer-contacts';

/** Who is the customer: the contacts of an occupancy, contests and how they end (2-decisions-a-b.md, section 11). */
export function contactArea(foundation: Foundation, sessions: CustomerSessions): Area {
  const { database, vault, keys, places, limits } = foundation;
  const passkeys = new PasskeyRepository(database, vault, relyingParty(places, keys), keys);
  const contacts = new CustomerContacts(foundation, passkeys, new SignInRepository(database, keys));
  const notes = contactNotes(foundation);
  return {
    resolvers: [
      new CustomerContactResolver(contacts, sessions, signInLimit(foundation)),
      new ContactCountResolver(new ContactCountRepository(database), limits.contestAlert),
    ],
    tasks: { [NOTE_CONTESTS]: (payload) => notes.noteOf((payload as { recordId: string }).recordId) },
  };
}
