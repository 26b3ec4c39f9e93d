import { purgePeriodically } from '../../server/retention';
import { Ceremonies } from './ceremonies.flow';
import { CeremonyIssuer } from './ceremony-issuer.flow';
import type { CustomerSessions } from '../sign-in/customer-sessions.flow';
import { CeremonyRepository } from './ceremony.repository';
import { IdentityLookupRepository } from '../lookups/identity-lookup.repository';
import { ReidentificationRepository } from './reidentification.repository';
import { contactNotes } from '../contacts/contact-notices.flow';
import { ReidentificationInitiation, existenceLimits } from './initiation.flow';
import type { SubgraphModule, IdentityDependencies } from '../dependencies';
import { redemptionCheck } from './redeemed-tokens.client';
import { organisations } from '../organisations.client';
import { CeremonyResolver } from './ceremony.resolver';
import { OwnRecords } from '../records/own-records.repository';
import { CredentialResolver } from '../passkeys/credential.resolver';
import { IdentityLookupResolver } from '../lookups/identity-lookup.resolver';
import { ReidentificationProofResolver } from './reidentification-proof.resolver';
import { ReidentificationResolver } from './reidentification.resolver';

const PURGE_EVERY_SECONDS = 3600;

/** Re-identification, its ceremonies, and the passkeys that they register and assert (decisions A/B, 4). */
export function reidentificationModule(dependencies: IdentityDependencies, sessions: CustomerSessions): SubgraphModule {
  const { database, occupants, records, passkeys, access, logger } = dependencies;
  const ownRecords = new OwnRecords(database);
  const flowDependencies = {
    ...dependencies,
    ...ceremonyStore(dependencies),
    ownRecords,
    lookups: new IdentityLookupRepository(database),
    organisations: organisations(access),
    limits: existenceLimits(dependencies),
    contacts: contactNotes(dependencies),
  };
  const { reidentifications, lookups } = flowDependencies;
  return {
    resolvers: [
      new ReidentificationResolver(
        new ReidentificationInitiation(flowDependencies),
        reidentifications,
        records,
        ownRecords,
        redemptionCheck(access),
      ),
      new ReidentificationProofResolver(reidentifications),
      new CeremonyResolver(new Ceremonies(flowDependencies)),
      new CredentialResolver(records, passkeys, ownRecords),
      new IdentityLookupResolver(lookups, occupants, sessions),
    ],
    stop: purgePeriodically(database.pool, [...reidentifications.purges, lookups.purge], PURGE_EVERY_SECONDS, logger),
  };
}

/** Repositories of re-identifications and ceremonies, and their issuer. */
export function ceremonyStore({ database, indexes, keys, occupants, clock, urls }: IdentityDependencies) {
  const reidentifications = new ReidentificationRepository(database, occupants, indexes, keys);
  const ceremonies = new CeremonyRepository(database, keys);
  const issuer = new CeremonyIssuer(reidentifications, ceremonies, clock, urls.identityRedirectUrl);
  return { reidentifications, ceremonies, issuer };
}
