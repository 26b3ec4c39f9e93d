import { RENEW_EVENT_ERA } from '../../server/event-era';
import type { SubgraphTables } from '../../server/migrate';
import { eventRights } from './event-rights';
import { Tariffs1790000000001 } from './migrations/0001-tariffs';
import { TariffEvents1790000000002 } from './migrations/0002-events';
import { tariffRights } from './rights';
import { TARIFF_JOBS } from './tariff-jobs';

/** The tables of `tariffs`: its migrations in order, and the rights of its login. */
export const tariffTables: SubgraphTables = {
  migrations: [Tariffs1790000000001, TariffEvents1790000000002],
  rights: (role) => `${tariffRights(role)} ${eventRights(role)}`,
  jobs: TARIFF_JOBS,
  atStart: RENEW_EVENT_ERA('tariffs'),
};
