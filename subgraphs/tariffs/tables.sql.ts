import { RENEW_EVENT_ERA } from '../server/event-log/event-era';
import type { SubgraphTables } from '../server/database/migrate';
import { Tariffs1790000000001 } from './migrations/0001-tariffs';
import { TariffEvents1790000000002 } from './migrations/0002-events';
import { TariffOccupancyKeys1790000000003 } from './migrations/0003-occupancy-keys';
import { TariffOutbox1790000000004 } from './migrations/0004-outbox';
import { TariffValidity1790000000005 } from './migrations/0005-validity';
import { TariffReading1790000000006 } from './migrations/0006-tariff-reading';
import { TariffAudit1790000000007 } from './migrations/0007-audit';
import { TariffModifiedPrices1790000000008 } from './migrations/0008-modified-prices';
import { TariffAuditIndexes1790000000009 } from './migrations/0009-audit-indexes';
import { TariffFanOut1790000000011 } from './migrations/0011-fan-out';
import { TariffRedelivery1790000000012 } from './migrations/0012-redelivery';
import { TariffEndsOfAssignments1790000000013 } from './migrations/0013-ends-of-assignments';
import { TariffSupersededRedeliveries1790000000014 } from './migrations/0014-superseded-redeliveries';
import { TariffConsentsSinceEvents1790000000015 } from './migrations/0015-consents-since-events';
import { TariffSearchPaths1790000000016 } from './migrations/0016-search-paths';
import { TariffEventsOfFormerOccupants1790000000017 } from './migrations/0017-former-occupants-events';
import { TariffWebhooksByRemoval1790000000018 } from './migrations/0018-webhooks-by-removal';
import { TariffReceiversInProgress1790000000019 } from './migrations/0019-receivers-in-progress';
import { TariffEndpointsLockedFirst1790000000020 } from './migrations/0020-endpoints-locked-first';
import { TariffConsentsOfFormerIssuers1790000000021 } from './migrations/0021-consents-of-former-issuers';
import { TariffIssuersOfConsents1790000000022 } from './migrations/0022-issuers-of-consents';
import { TariffUrgentCessations1790000000023 } from './migrations/0023-urgent-cessations';
import { TariffTimesAhead1790000000024 } from './migrations/0024-times-ahead';
import { TariffKeysWithoutOccupancy1790000000025 } from './migrations/0025-keys-without-occupancy';
import { TariffClocksOfFanOut1790000000026 } from './migrations/0026-clocks-of-fan-out';
import { TariffPublicationsAhead1790000000027 } from './migrations/0027-publications-ahead';
import { tariffRights } from './rights.sql';
import { TARIFF_JOBS } from './tariff-jobs';

/** The tables of `tariffs`: its migrations in order, and the rights of its login. */
export const tariffTables: SubgraphTables = {
  migrations: [
    Tariffs1790000000001,
    TariffEvents1790000000002,
    TariffOccupancyKeys1790000000003,
    TariffOutbox1790000000004,
    TariffValidity1790000000005,
    TariffReading1790000000006,
    TariffAudit1790000000007,
    TariffModifiedPrices1790000000008,
    TariffAuditIndexes1790000000009,
    TariffFanOut1790000000011,
    TariffRedelivery1790000000012,
    TariffEndsOfAssignments1790000000013,
    TariffSupersededRedeliveries1790000000014,
    TariffConsentsSinceEvents1790000000015,
    TariffSearchPaths1790000000016,
    TariffEventsOfFormerOccupants1790000000017,
    TariffWebhooksByRemoval1790000000018,
    TariffReceiversInProgress1790000000019,
    TariffEndpointsLockedFirst1790000000020,
    TariffConsentsOfFormerIssuers1790000000021,
    TariffIssuersOfConsents1790000000022,
    TariffUrgentCessations1790000000023,
    TariffTimesAhead1790000000024,
    TariffKeysWithoutOccupancy1790000000025,
    TariffClocksOfFanOut1790000000026,
    TariffPublicationsAhead1790000000027,
  ],
  rights: tariffRights,
  jobs: TARIFF_JOBS,
  atStart: RENEW_EVENT_ERA('tariffs'),
};
