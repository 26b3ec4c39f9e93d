import type { SubgraphTables } from '../server/database/migrate';
import { IdentityRecords1790000000001 } from './migrations/0001-identity-records';
import { MailsAndClosing1790000000003 } from './migrations/0003-mails-and-closing';
import { Contacts1790000000007 } from './migrations/0007-contacts';
import { DelayedAnonymising1790000000008 } from './migrations/0008-delayed-anonymising';
import { LegacyConsents1790000000006 } from './migrations/0006-legacy-consents';
import { OccupancyKeys1790000000009 } from './migrations/0009-occupancy-keys';
import { IdentityAudit1790000000010 } from './migrations/0010-audit';
import { IdentityAuditIndexes1790000000012 } from './migrations/0012-audit-indexes';
import { ContactRejections1790000000013 } from './migrations/0013-contact-rejections';
import { SupplierOfVerdict1790000000020 } from './migrations/0020-supplier-of-verdict';
import { ChangesAhead1790000000021 } from './migrations/0021-changes-ahead';
import { SupplierOfSession1790000000014 } from './migrations/0014-supplier-of-session';
import { SenderOfSession1790000000015 } from './migrations/0015-sender-of-session';
import { ErasureIndexes1790000000016 } from './migrations/0016-erasure-indexes';
import { RemovedPasskeys1790000000017 } from './migrations/0017-removed-passkeys';
import { SeriesOfInitiator1790000000018 } from './migrations/0018-series-of-initiator';
import { ClosedAfterClosing1790000000019 } from './migrations/0019-closed-after-closing';
import { Operator1790000000005 } from './migrations/0005-operator';
import { CustomerSessions1790000000004 } from './migrations/0004-customer-sessions';
import { Reidentification1790000000002 } from './migrations/0002-reidentification';
import { identityRights } from './rights.sql';

/** Schema of the job queue of `identity`. */
export const IDENTITY_JOBS = 'identity_jobs';

/** The tables of `identity`: migrations in order, and the grants of its login. */
export const identityTables: SubgraphTables = {
  migrations: [
    IdentityRecords1790000000001,
    Reidentification1790000000002,
    MailsAndClosing1790000000003,
    CustomerSessions1790000000004,
    Operator1790000000005,
    LegacyConsents1790000000006,
    Contacts1790000000007,
    DelayedAnonymising1790000000008,
    OccupancyKeys1790000000009,
    IdentityAudit1790000000010,
    IdentityAuditIndexes1790000000012,
    ContactRejections1790000000013,
    SupplierOfSession1790000000014,
    SenderOfSession1790000000015,
    ErasureIndexes1790000000016,
    RemovedPasskeys1790000000017,
    SeriesOfInitiator1790000000018,
    ClosedAfterClosing1790000000019,
    SupplierOfVerdict1790000000020,
    ChangesAhead1790000000021,
  ],
  rights: identityRights,
  jobs: IDENTITY_JOBS,
};
