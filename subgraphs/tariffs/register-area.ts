import type { RateLimit } from '../server/rate-limits';
import { AppliedTariffs } from './database/applied-tariffs';
import { AssignmentRepository } from './database/assignment.repository';
import { PerformanceReportLists } from './database/performance-report-lists';
import { PerformanceReportRepository } from './database/performance-report.repository';
import { RtiUserLists } from './database/rti-user-lists';
import { RtiUserRepository } from './database/rti-user.repository';
import { SupplierLists } from './database/supplier-lists';
import { SupplierRepository } from './database/supplier.repository';
import { TariffFacts } from './database/tariff-facts';
import { TariffLists } from './database/tariff-lists';
import { TariffSteps } from './database/tariff-steps';
import { TariffRepository } from './database/tariff.repository';
import type { Area, Foundation } from './foundation';
import { PerformanceReportResolver } from './resolvers/performance-report.resolver';
import { RegisterTimeResolver } from './resolvers/register-time.resolver';
import { RtiUserResolver } from './resolvers/rti-user.resolver';
import { SupplierResolver, SupplierTariffResolver } from './resolvers/supplier.resolver';
import { TariffAssignmentResolver } from './resolvers/tariff-assignment.resolver';
import { TariffFieldResolver, TariffResolver } from './resolvers/tariff.resolver';

/** The registers of suppliers and RTI Users, tariffs, assignments and reports; `lookups` counts those of networks without an account. */
export function registerArea({ database, mpxns, contacts, production, clock }: Foundation, lookups: RateLimit): Area {
  const { pool } = database;
  const suppliers = new SupplierLists(database);
  const rtiUsers = new RtiUserLists(database, contacts);
  const lists = new TariffLists(database);
  const facts = new TariffFacts(database);
  const reads = {
    steps: new TariffSteps(database, mpxns),
    applied: new AppliedTariffs(database),
    facts,
    suppliers,
    mpxns,
  };
  return {
    resolvers: [
      new SupplierResolver(suppliers, new SupplierRepository(pool), lookups, production),
      new SupplierTariffResolver(lists, facts),
      new RtiUserResolver(rtiUsers, new RtiUserRepository(pool, contacts), suppliers, lookups, production),
      new TariffResolver(lists, facts, new TariffRepository(pool), suppliers, lookups),
      new TariffFieldResolver(facts, suppliers),
      new TariffAssignmentResolver(new AssignmentRepository(pool, mpxns), reads),
      new PerformanceReportResolver(
        new PerformanceReportRepository(pool),
        new PerformanceReportLists(database),
        suppliers,
      ),
      new RegisterTimeResolver(clock),
    ],
    references: {
      Supplier: ({ mpid }: { mpid: string }) => suppliers.byMpid(mpid),
      RtiUser: ({ userId }: { userId: string }) => rtiUsers.byId(userId),
      Tariff: ({ tariffId }: { tariffId: string }) => facts.byId(tariffId),
    },
  };
}
