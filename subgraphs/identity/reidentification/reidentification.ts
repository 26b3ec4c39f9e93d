import { forgetPassed } from '../../server/retention';
import { Ceremonies } from './ceremonies';
import { CeremonyIssuer } from './ceremony-issuer';
import type { CustomerSessions } from '../sign-in/customer-sessions';
import { CeremonyRepository } from '../database/ceremony.repository';
import { IdentityLookRepository } from '../database/identity-look.repository';
import { IdentityRecordRepository } from '../database/identity-record.repository';
import { OccupancyRepository } from '../database/occupancy.repository';
import { PasskeyRepository } from '../database/passkey.repository';
import { ReidentificationRepository } from '../database/reidentification.repository';
import { contactNotes } from '../contacts/contact-notes';
import { existenceLimits } from './existence-limits';
import type { Area, Foundation } from '../foundation';
import { ReidentificationInitiation } from './initiation';
import { unredeemed } from './redeemed-tokens';
import { organisations } from '../organisations';
import { CeremonyResolver } from '../resolvers/ceremony.resolver';
import { CredentialResolver } from '../resolvers/credential.resolver';
import { IdentityLookResolver } from '../resolvers/identity-look.resolver';
import { ReidentificationProofResolver } from '../resolvers/reidentification-proof.resolver';
import { ReidentificationResolver } from '../resolvers/reidentification.resolver';
import { relyingParty } from './webauthn';

const FORGET_EVERY_SECONDS = 3600;

/** Re-identification, its ceremonies, and the passkeys that they register and assert (2-decisions-a-b.md, section 4). */
export function reidentificationArea(foundation: Foundation, sessions: CustomerSessions): Area {
  const { database, indexes, vault, keys, places, access, logger } = foundation;
  const party = relyingParty(places, keys);
  const parts = {
    ...foundation,
    ...ceremonyStore(foundation),
    party,
    passkeys: new PasskeyRepository(database, vault, party, keys),
    records: new IdentityRecordRepository(database, indexes, vault),
    looks: new IdentityLookRepository(database),
    organisations: organisations(access),
    limits: existenceLimits(foundation),
    contacts: contactNotes(foundation),
  };
  const { reidentifications, occupants, records, looks, passkeys } = parts;
  return {
    resolvers: [
      new ReidentificationResolver(
        new ReidentificationInitiation(parts),
        reidentifications,
        records,
        unredeemed(access),
      ),
      new ReidentificationProofResolver(reidentifications),
      new CeremonyResolver(new Ceremonies(parts)),
      new CredentialResolver(records, passkeys),
      new IdentityLookResolver(looks, occupants, sessions),
    ],
    stop: forgetPassed([reidentifications.forget, looks.forget], FORGET_EVERY_SECONDS, logger),
  };
}

/** Where re-identifications and ceremonies are kept, and what issues them. */
export function ceremonyStore({ database, indexes, vault, keys, clock, places }: Foundation) {
  const occupants = new OccupancyRepository(database, indexes, vault);
  const reidentifications = new ReidentificationRepository(database, occupants, indexes, keys);
  const ceremonies = new CeremonyRepository(database, keys);
  const issuer = new CeremonyIssuer(reidentifications, ceremonies, clock, places.identityRedirectUrl);
  return { occupants, reidentifications, ceremonies, issuer };
}
