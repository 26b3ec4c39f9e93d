import { SignInRepository } from './sign-in.repository';
import type { SubgraphModule, IdentityDependencies } from '../dependencies';
import { SignInResolver } from './sign-in.resolver';
import { sessionStart } from './session-start.flow';
import { signInLimit } from './sign-in-limit.flow';
import { SIGN_IN_REQUEST, signInLinks } from './sign-in-links.flow';
import { linkSignIn, passkeySignIn } from './sign-in.flow';
import { supplierSignIns } from './supplier-sign-in.flow';
import { SupplierSignInResolver } from './supplier-sign-in.resolver';
import { rateLimit } from '../../server/callers/rate-limits';
import { purgePeriodically } from '../../server/retention';
import { ContactLinkRepository } from '../contacts/contact-link.repository';
import { CustomerSessionRepository } from './customer-session.repository';
import { organisations } from '../organisations.client';
import { CustomerSessionResolver } from './customer-session.resolver';
import { CustomerSessions } from './customer-sessions.flow';

const PURGE_EVERY_SECONDS = 600;

/** Sign-in by mailed link, passkey and supplier, and the sessions that it starts (decisions A/B, 9). */
export function signInModule(dependencies: IdentityDependencies, sessions: CustomerSessions): SubgraphModule {
  const { database, keys, indexes, occupants, party, passkeys, logger, rateLimits, limits } = dependencies;
  const stored = new CustomerSessionRepository(database, indexes, keys);
  const signIns = new SignInRepository(database, keys);
  const contactLinks = new ContactLinkRepository(database, keys);
  const links = signInLinks(dependencies, signIns);
  const start = sessionStart(dependencies);
  const limit = signInLimit(dependencies);
  const requests = rateLimit(rateLimits, 'customer-requests', limits.requests, 60);
  const byLink = linkSignIn(signIns, sessions, dependencies, start);
  const byPasskey = passkeySignIn(signIns, passkeys, party, occupants, start);
  const atSuppliers = supplierSignIns(dependencies);
  const purges = [...stored.purgeExpired, ...signIns.purgeExpired, ...contactLinks.purgeExpired];
  const stopPurging = purgePeriodically(dependencies.database.pool, purges, PURGE_EVERY_SECONDS, logger);
  return {
    resolvers: [
      new SignInResolver(links, signIns, byLink, byPasskey, limit),
      new SupplierSignInResolver(atSuppliers, sessions, limit),
      new CustomerSessionResolver(sessions, stored, requests, organisations(dependencies.access)),
    ],
    tasks: { [SIGN_IN_REQUEST]: (payload) => links.mail(payload) },
    stop: () => {
      atSuppliers.close();
      return stopPurging();
    },
  };
}
