import { dueKeys } from '../server/occupancy-keys';
import { keyedHash } from '../server/keyed-hash';
import { repeat } from '../server/jobs/repeat';
import { purgePeriodically } from '../server/retention';
import type { RateLimit } from '../server/callers/rate-limits';
import { AssignmentQueries } from './assignments/assignment.queries';
import { AssignmentRepository } from './assignments/assignment.repository';
import { OccupancyErasureRepository } from './occupancies/occupancy-erasure.repository';
import { reencryptMpxns } from './occupancies/mpxn-storage.repository';
import { PerformanceReportRepository } from './performance-reports/performance-report.repository';
import { RegisterEntryRepository } from './register-entries/register-entry.repository';
import { RtiUserRepository } from './register-entries/rti-user.repository';
import { SUPPLIER } from './register-entries/supplier.queries';
import { RatesSizes } from './catalogue/rates-sizes.queries';
import { TariffListQueries } from './catalogue/tariff-list.queries';
import { TARIFF_OCCUPANCIES } from './occupancies/tariff-occupancies.sql';
import { TariffRepository } from './catalogue/tariff.repository';
import type { SubgraphModule, TariffDependencies } from './dependencies';
import { OccupancyErasureResolver } from './occupancies/occupancy-erasure.resolver';
import { PerformanceReportResolver } from './performance-reports/performance-report.resolver';
import { RegisterTimeResolver } from './register-time.resolver';
import { AuditLog, fingerprintOf } from '../server/audit/audit.repository';
import { TariffAuditResolver } from './tariff-audit.resolver';
import { RtiUserResolver } from './register-entries/rti-user.resolver';
import { SupplierResolver } from './register-entries/supplier.resolver';
import { TariffAssignmentResolver } from './assignments/tariff-assignment.resolver';
import { SupplierTariffResolver } from './catalogue/supplier-tariffs.resolver';
import { AppendedPriceRepository } from './appended-prices/appended-prices.repository';
import { PriceSeries } from './rates/price-series.flow';
import { AppendedPriceResolver } from './appended-prices/appended-prices.resolver';
import { TariffPriceResolver } from './catalogue/tariff-prices.resolver';
import { TariffFieldResolver, TariffResolver } from './catalogue/tariff.resolver';

/** Seconds between runs that re-encrypt the MPxNs of an earlier release. */
const REENCRYPTION_INTERVAL_SECONDS = 300;
/** Seconds between runs that destroy the due keys of occupancies. */
const DESTRUCTION_INTERVAL_SECONDS = 3_600;

/**
 * Composes the registers of suppliers and RTI Users, tariffs, assignments and reports.
 *
 * @param lookups the limit of public lookups per network
 */
export function registerModule(dependencies: TariffDependencies, lookups: RateLimit): SubgraphModule {
  const { database, keys, mpxns, contacts, suppliers, rtiUsers, tariffQueries, production, clock, logger } =
    dependencies;
  const { pool } = database;
  const stopReencryption = repeat(REENCRYPTION_INTERVAL_SECONDS, () => reencryptMpxns(pool, mpxns, logger), logger);
  const stopDestruction = purgePeriodically(
    pool,
    [dueKeys(pool, TARIFF_OCCUPANCIES)],
    DESTRUCTION_INTERVAL_SECONDS,
    logger,
  );
  const hashOfContact = keyedHash(keys.hashKey, 'audited contact');
  const supplierEntries = new RegisterEntryRepository(pool, SUPPLIER, ({ support }) => ({
    support: fingerprintOf(hashOfContact(support)),
  }));
  const rtiUserEntries = new RtiUserRepository(pool, rtiUsers, contacts, hashOfContact);
  const lists = new TariffListQueries(database);
  const ratesSizes = new RatesSizes(database);
  const appendedPrices = new AppendedPriceRepository(pool);
  const priceSeries = new PriceSeries(logger);
  const assignments = new AssignmentRepository(pool, mpxns);
  const assignmentQueries = new AssignmentQueries(database, mpxns);
  return {
    resolvers: [
      new SupplierResolver(suppliers, supplierEntries, lookups, { production }),
      new SupplierTariffResolver(lists, tariffQueries),
      new RtiUserResolver(rtiUsers, rtiUserEntries, suppliers, lookups, { production }),
      new TariffResolver(lists, tariffQueries, new TariffRepository(pool), suppliers, lookups),
      new TariffFieldResolver(tariffQueries, suppliers, ratesSizes),
      new TariffPriceResolver(tariffQueries, appendedPrices, priceSeries, ratesSizes),
      new AppendedPriceResolver(appendedPrices, suppliers),
      new TariffAssignmentResolver({ assignments, queries: assignmentQueries, tariffQueries, suppliers }),
      new PerformanceReportResolver(new PerformanceReportRepository(pool), suppliers, clock),
      new RegisterTimeResolver(clock),
      new TariffAuditResolver(new AuditLog(pool)),
      new OccupancyErasureResolver(new OccupancyErasureRepository(pool, mpxns)),
    ],
    references: {
      Supplier: ({ mpid }: { mpid: string }) => suppliers.byKey(mpid),
      RtiUser: ({ userId }: { userId: string }) => rtiUsers.byKey(userId),
      Tariff: ({ tariffId }: { tariffId: string }) => tariffQueries.byId(tariffId),
    },
    stop: async () => {
      await Promise.all([stopReencryption(), stopDestruction(), priceSeries.close()]);
    },
  };
}
