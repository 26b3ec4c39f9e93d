import { IdentityRecordRepository } from './database/identity-record.repository';
import { linkedRecords } from './database/linked-record';
import { PasskeyRepository } from './database/passkey.repository';
import { ProvisionalRecordRepository } from './database/provisional-record.repository';
import { contactNotes } from './contacts/contact-notes';
import { existenceLimits } from './reidentification/existence-limits';
import type { Area, Foundation } from './foundation';
import { organisations } from './organisations';
import { PasskeyEnrolment } from './reidentification/passkey-enrolment';
import { ceremonyStore } from './reidentification/reidentification';
import { IdentityRecordLinkResolver } from './resolvers/identity-record-link.resolver';
import { IdentityRecordMpxnResolver } from './resolvers/identity-record-mpxn.resolver';
import { IdentityRecordResolver } from './resolvers/identity-record.resolver';
import { MeterPointResolver } from './resolvers/meter-point.resolver';
import { relyingParty } from './reidentification/webauthn';
import { settleVerified } from './database/verification-settling';
import { repeat } from '../server/repeat';

/** Seconds between looks for records that a replica of the release before has written. */
const SETTLE_EVERY = 300;

/** Identity Records: registering, reading and finding them, and what other services may know of them. */
export function identityRecordArea(foundation: Foundation): Area {
  const { database, indexes, vault, keys, places, access, idempotency, jobs, logger, production } = foundation;
  const records = new IdentityRecordRepository(database, indexes, vault);
  const provisional = new ProvisionalRecordRepository(database, jobs, indexes, vault);
  const passkeys = new PasskeyRepository(database, vault, relyingParty(places, keys), keys);
  const { issuer, occupants } = ceremonyStore(foundation);
  const enrolment = new PasskeyEnrolment(issuer, organisations(access));
  return {
    resolvers: [
      new IdentityRecordResolver({
        ...{ records, passkeys, enrolment, idempotency, production },
        contacts: contactNotes(foundation),
        organisations: organisations(access),
      }),
      new MeterPointResolver(records, occupants, indexes, existenceLimits(foundation)),
      new IdentityRecordLinkResolver(records),
      new IdentityRecordMpxnResolver(linkedRecords(records, provisional), logger),
    ],
    stop: repeat(SETTLE_EVERY, () => settleVerified(database, vault), logger),
  };
}
