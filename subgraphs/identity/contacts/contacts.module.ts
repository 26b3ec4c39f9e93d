import { ContactCountRepository } from './contact-count.repository';
import { PasskeyRepository } from '../passkeys/passkey.repository';
import { SignInRepository } from '../sign-in/sign-in.repository';
import type { SubgraphModule, IdentityDependencies } from '../dependencies';
import { relyingParty } from '../passkeys/webauthn.flow';
import { ContactCountResolver } from './contact-count.resolver';
import { CustomerContactResolver } from './customer-contact.resolver';
import type { CustomerSessions } from '../sign-in/customer-sessions.flow';
import { signInLimit } from '../sign-in/sign-in-limit.flow';
import { NOTE_CONTESTS, contactNotes } from './contact-notices.flow';
import { CustomerContacts } from './customer-contacts.flow';

/** Contacts of an occupancy, contests and their resolution (decisions A/B, 11). */
export function contactModule(dependencies: IdentityDependencies, sessions: CustomerSessions): SubgraphModule {
  const { database, cipher, keys, places, limits } = dependencies;
  const passkeys = new PasskeyRepository(database, cipher, relyingParty(places, keys), keys);
  const contacts = new CustomerContacts(dependencies, passkeys, new SignInRepository(database, keys));
  const notes = contactNotes(dependencies);
  return {
    resolvers: [
      new CustomerContactResolver(contacts, sessions, signInLimit(dependencies)),
      new ContactCountResolver(new ContactCountRepository(database), limits.contestAlert),
    ],
    tasks: { [NOTE_CONTESTS]: (payload) => notes.noteOf((payload as { recordId: string }).recordId) },
  };
}
