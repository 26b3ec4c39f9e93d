import { linkedRecords, ProvisionalRecordRepository } from '../legacy/provisional-record.repository';
import { contactNotes } from '../contacts/contact-notices.flow';
import { existenceLimits } from '../reidentification/initiation.flow';
import type { SubgraphModule, IdentityDependencies } from '../dependencies';
import { organisations } from '../organisations.client';
import { PasskeyEnrolment } from '../passkeys/passkey-enrolment.flow';
import { ceremonyStore } from '../reidentification/reidentification.module';
import { IdentityRecordLinkResolver, IdentityRecordMpxnResolver } from './identity-record-link.resolver';
import { IdentityRecordResolver } from './identity-record.resolver';
import { MeterPointResolver } from './meter-point.resolver';
import { OwnRecords } from './own-records.repository';
import { backfillVerified } from './verification-backfill.flow';
import { repeat } from '../../server/jobs/repeat';

/** Seconds between two searches for records that a replica of the previous release wrote. */
const BACKFILL_INTERVAL_SECONDS = 300;

/** Identity Records: registration, reading, search, and queries of other services. */
export function identityRecordModule(dependencies: IdentityDependencies): SubgraphModule {
  const {
    database,
    indexes,
    cipher,
    records,
    occupants,
    passkeys,
    access,
    idempotency,
    jobs,
    logger,
    production,
    clock,
  } = dependencies;
  const provisional = new ProvisionalRecordRepository(database, jobs, indexes, cipher);
  const { issuer } = ceremonyStore(dependencies);
  const enrolment = new PasskeyEnrolment(issuer);
  return {
    resolvers: [
      new IdentityRecordResolver({
        ...{ records, passkeys, enrolment, idempotency, production, clock, logger },
        ownRecords: new OwnRecords(database),
        contacts: contactNotes(dependencies),
        organisations: organisations(access),
      }),
      new MeterPointResolver(records, occupants, indexes, existenceLimits(dependencies)),
      new IdentityRecordLinkResolver(records),
      new IdentityRecordMpxnResolver(linkedRecords(records, provisional), logger),
    ],
    stop: repeat(BACKFILL_INTERVAL_SECONDS, () => backfillVerified(database, cipher, logger), logger),
  };
}
