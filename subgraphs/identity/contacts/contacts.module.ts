import type { Logger } from 'pino';
import { repeat } from '../../server/jobs/repeat';
import { ContactCountRepository } from './contact-count.repository';
import { organisations } from '../organisations.client';
import { SignInRepository } from '../sign-in/sign-in.repository';
import type { SubgraphModule, IdentityDependencies } from '../dependencies';
import { ContactCountResolver } from './contact-count.resolver';
import { ContactRejectionRepository } from './contact-rejection.repository';
import { ContactRejectionResolver } from './contact-rejection.resolver';
import { CustomerContactResolver } from './customer-contact.resolver';
import type { CustomerSessions } from '../sign-in/customer-sessions.flow';
import { signInLimit } from '../sign-in/sign-in-limit.flow';
import { NOTE_CONTESTS, contactNotes } from './contact-notices.flow';
import { CustomerContacts } from './customer-contacts.flow';

/** Seconds between two searches for rejections that are not finished. */
const REVIEW_EVERY_SECONDS = 1;

/** Contacts of an occupancy, contests and their resolution (decisions A/B, 11). */
export function contactModule(dependencies: IdentityDependencies, sessions: CustomerSessions): SubgraphModule {
  const { database, keys, limits, access, clock, occupants, logger } = dependencies;
  const contacts = new CustomerContacts(dependencies, new SignInRepository(database, keys));
  const notes = contactNotes(dependencies);
  const rejections = new ContactRejectionRepository(database, occupants);
  return {
    resolvers: [
      new CustomerContactResolver(contacts, sessions, signInLimit(dependencies)),
      new ContactCountResolver(new ContactCountRepository(database), limits.contestAlert),
      new ContactRejectionResolver(rejections, organisations(access), clock),
    ],
    tasks: { [NOTE_CONTESTS]: (payload) => notes.noteOf((payload as { recordId: string }).recordId) },
    stop: reviewPeriodically(rejections, logger),
  };
}

/**
 * Carries out requested rejections. Each record is one transaction, so that a run that was interrupted continues with the next record, also in
 * another replica. Returns a function that stops it.
 */
function reviewPeriodically(rejections: ContactRejectionRepository, logger: Logger): () => Promise<void> {
  const review = async (isToStop: () => boolean) => {
    while (!isToStop() && (await rejections.reviewNext()));
  };
  return repeat(REVIEW_EVERY_SECONDS, review, logger, 'rejection of asserted contacts failed');
}
