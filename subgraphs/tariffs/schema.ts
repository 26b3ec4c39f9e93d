import { totalResolver } from '../server/lists/connection.types';
import { type ReferenceResolver, type SubgraphSchema, buildFederatedSchema } from '../server/graph/subgraph-schema';
import { AppendedPriceResolver } from './appended-prices/appended-prices.resolver';
import { ConsumerAdmissionResolver } from './consumers/consumer-admission.resolver';
import type { References } from './dependencies';
import { PaginationMetaResolver } from '../server/lists/offset-page.types';
import { OccupancyErasureResolver } from './occupancies/occupancy-erasure.resolver';
import { PerformanceReportResolver } from './performance-reports/performance-report.resolver';
import { RegisterTimeResolver } from './register-time.resolver';
import { RtiUserResolver } from './register-entries/rti-user.resolver';
import { RtiUserConnectionType } from './register-entries/rti-user.types';
import { RtiWebhookResolver } from './webhooks/rti-webhook.resolver';
import { SupplierResolver } from './register-entries/supplier.resolver';
import { SupplierConnectionType } from './register-entries/supplier.types';
import { TariffAuditResolver } from './tariff-audit.resolver';
import { TariffAssignmentResolver } from './assignments/tariff-assignment.resolver';
import { TariffConsentResolver } from './consents/tariff-consent.resolver';
import { TariffEventResolver } from './events/tariff-event.resolver';
import { SupplierTariffResolver } from './catalogue/supplier-tariffs.resolver';
import { TariffPriceResolver } from './catalogue/tariff-prices.resolver';
import { TariffFieldResolver, TariffResolver } from './catalogue/tariff.resolver';
import { TariffConnectionType } from './catalogue/tariff.types';

/** The register of suppliers and RTI Users, tariffs, assignments and reports. */
const REGISTER_RESOLVERS = [
  SupplierResolver,
  SupplierTariffResolver,
  RtiUserResolver,
  TariffResolver,
  TariffFieldResolver,
  TariffPriceResolver,
  AppendedPriceResolver,
  TariffAssignmentResolver,
  PerformanceReportResolver,
  RegisterTimeResolver,
  OccupancyErasureResolver,
  TariffAuditResolver,
] as const;

/** Tokens of consumers. */
const CONSUMER_RESOLVERS = [ConsumerAdmissionResolver] as const;

/** Consents, webhooks and events. */
const EVENT_RESOLVERS = [TariffConsentResolver, RtiWebhookResolver, TariffEventResolver] as const;

/** Totals, counted only if a client selects them. */
const TOTAL_RESOLVERS = [
  PaginationMetaResolver,
  totalResolver(SupplierConnectionType),
  totalResolver(RtiUserConnectionType),
  totalResolver(TariffConnectionType),
];

const RESOLVERS = [...REGISTER_RESOLVERS, ...CONSUMER_RESOLVERS, ...EVENT_RESOLVERS, ...TOTAL_RESOLVERS] as const;

/** The instances of a running subgraph: one of each resolver, and the resolvers of entities. */
interface TariffInstances {
  readonly resolvers: readonly object[];
  readonly references: References;
}

/** Builds the schema of `tariffs`. Without instances it can be printed and composed, but not executed. */
export function tariffSchema(instances?: TariffInstances): Promise<SubgraphSchema> {
  if (!instances) return buildFederatedSchema({ resolvers: RESOLVERS as never, references: {} });
  const totals = TOTAL_RESOLVERS.map((Total) => new (Total as new () => object)());
  const byClass = new Map<unknown, object>(
    [...instances.resolvers, ...totals].map((instance) => [instance.constructor, instance]),
  );
  return buildFederatedSchema({
    resolvers: RESOLVERS as never,
    references: instances.references satisfies Record<string, ReferenceResolver>,
    container: { get: (resolver) => byClass.get(resolver) as object },
  });
}
