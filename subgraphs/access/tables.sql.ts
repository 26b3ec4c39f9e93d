import { RENEW_EVENT_ERA } from '../server/event-log/event-era';
import type { SubgraphTables } from '../server/database/migrate';
import { Accounts1790000000001 } from './migrations/0001-accounts';
import { AccessRecords1790000000002 } from './migrations/0002-access-records';
import { Customers1790000000003 } from './migrations/0003-customers';
import { ClosedIdentityRecords1790000000004 } from './migrations/0004-closed-identity-records';
import { Events1790000000005 } from './migrations/0005-events';
import { Operator1790000000006 } from './migrations/0006-operator';
import { LegacyConsents1790000000007 } from './migrations/0007-legacy-consents';
import { VerificationRight1790000000009 } from './migrations/0009-verification-right';
import { TerminatedDataUsers1790000000010 } from './migrations/0010-terminated-data-users';
import { SealedReferences1790000000011 } from './migrations/0011-sealed-references';
import { TransitionTable1790000000012 } from './migrations/0012-transition-table';
import { TerminationConstant1790000000013 } from './migrations/0013-termination-constant';
import { Outbox1790000000014 } from './migrations/0014-outbox';
import { RecordCounts1790000000016 } from './migrations/0016-record-counts';
import { AccessAuditIndexes1790000000017 } from './migrations/0017-audit-indexes';
import { FanOut1790000000018 } from './migrations/0018-fan-out';
import { TokenSeries1790000000019 } from './migrations/0019-token-series';
import { Redelivery1790000000020 } from './migrations/0020-redelivery';
import { TenancyReferences1790000000021 } from './migrations/0021-tenancy-references';
import { ChangesAfterWaiting1790000000022 } from './migrations/0022-changes-after-waiting';
import { NoticesOfExpiry1790000000023 } from './migrations/0023-notices-of-expiry';
import { InstantsAfterWaiting1790000000024 } from './migrations/0024-instants-after-waiting';
import { NoticesKeptPending1790000000025 } from './migrations/0025-notices-kept-pending';
import { ActiveAccount1790000000026 } from './migrations/0026-active-account';
import { SearchPaths1790000000027 } from './migrations/0027-search-paths';
import { RecordsInState1790000000028 } from './migrations/0028-records-in-state';
import { PendingClaims1790000000029 } from './migrations/0029-pending-claims';
import { ReplacedCountIndex1790000000030 } from './migrations/0030-replaced-count-index';
import { EndpointsLockedFirst1790000000031 } from './migrations/0031-endpoints-locked-first';
import { DeliveriesInState1790000000032 } from './migrations/0032-deliveries-in-state';
import { UnchangedWindows1790000000033 } from './migrations/0033-unchanged-windows';
import { NoticesByEndpoint1790000000034 } from './migrations/0034-notices-by-endpoint';
import { BoundedEventReads1790000000035 } from './migrations/0035-bounded-event-reads';
import { ClosingsInBatches1790000000036 } from './migrations/0036-closings-in-batches';
import { DelayedClosings1790000000037 } from './migrations/0037-delayed-closings';
import { OnlyTerminationsWait1790000000038 } from './migrations/0038-only-terminations-wait';
import { BoundedNotices1790000000039 } from './migrations/0039-bounded-notices';
import { SharedFanOut1790000000040 } from './migrations/0040-shared-fan-out';
import { accessRights } from './rights.sql';

/** Schema of the job queue of `access`. */
export const ACCESS_JOBS = 'access_jobs';

/** The tables of `access`: migrations in order, and the grants of its login. */
export const accessTables: SubgraphTables = {
  migrations: [
    Accounts1790000000001,
    AccessRecords1790000000002,
    Customers1790000000003,
    ClosedIdentityRecords1790000000004,
    Events1790000000005,
    Operator1790000000006,
    LegacyConsents1790000000007,
    VerificationRight1790000000009,
    TerminatedDataUsers1790000000010,
    SealedReferences1790000000011,
    TransitionTable1790000000012,
    TerminationConstant1790000000013,
    Outbox1790000000014,
    RecordCounts1790000000016,
    AccessAuditIndexes1790000000017,
    FanOut1790000000018,
    TokenSeries1790000000019,
    Redelivery1790000000020,
    TenancyReferences1790000000021,
    ChangesAfterWaiting1790000000022,
    NoticesOfExpiry1790000000023,
    InstantsAfterWaiting1790000000024,
    NoticesKeptPending1790000000025,
    ActiveAccount1790000000026,
    SearchPaths1790000000027,
    RecordsInState1790000000028,
    PendingClaims1790000000029,
    ReplacedCountIndex1790000000030,
    EndpointsLockedFirst1790000000031,
    DeliveriesInState1790000000032,
    UnchangedWindows1790000000033,
    NoticesByEndpoint1790000000034,
    BoundedEventReads1790000000035,
    ClosingsInBatches1790000000036,
    DelayedClosings1790000000037,
    OnlyTerminationsWait1790000000038,
    BoundedNotices1790000000039,
    SharedFanOut1790000000040,
  ],
  rights: accessRights,
  jobs: ACCESS_JOBS,
  atStart: `${RENEW_EVENT_ERA('access')}; select access.renew_data_user_terminations()`,
};
