import { totalResolver } from '../server/connection.types';
import { type ReferenceResolver, type SubgraphSchema, buildFederatedSchema } from '../server/subgraph-schema';
import { ConsumerAdmissionResolver } from './consumers/consumer-admission.resolver';
import type { References } from './foundation';
import { PaginationMetaResolver } from './resolvers/offset-page.types';
import { PerformanceReportResolver } from './resolvers/performance-report.resolver';
import { RegisterTimeResolver } from './resolvers/register-time.resolver';
import { RtiUserResolver } from './resolvers/rti-user.resolver';
import { RtiUserConnectionType } from './resolvers/rti-user.types';
import { RtiWebhookResolver } from './resolvers/rti-webhook.resolver';
import { SupplierResolver, SupplierTariffResolver } from './resolvers/supplier.resolver';
import { SupplierConnectionType } from './resolvers/supplier.types';
import { TariffAssignmentResolver } from './resolvers/tariff-assignment.resolver';
import { TariffConsentResolver } from './resolvers/tariff-consent.resolver';
import { TariffEventResolver } from './resolvers/tariff-event.resolver';
import { TariffFieldResolver, TariffResolver } from './resolvers/tariff.resolver';
import { TariffConnectionType } from './resolvers/tariff.types';

/** The register of suppliers and RTI Users, tariffs, assignments and reports. */
const REGISTER_RESOLVERS = [
  SupplierResolver,
  SupplierTariffResolver,
  RtiUserResolver,
  TariffResolver,
  TariffFieldResolver,
  TariffAssignmentResolver,
  PerformanceReportResolver,
  RegisterTimeResolver,
] as const;

/** Tokens of consumers. */
const CONSUMER_RESOLVERS = [ConsumerAdmissionResolver] as const;

/** Consents, webhooks and events. */
const EVENT_RESOLVERS = [TariffConsentResolver, RtiWebhookResolver, TariffEventResolver] as const;

/** Totals that are counted when they are asked for: of nothing but the page itself. */
const TOTAL_RESOLVERS = [
  PaginationMetaResolver,
  totalResolver(SupplierConnectionType),
  totalResolver(RtiUserConnectionType),
  totalResolver(TariffConnectionType),
];

const RESOLVERS = [...REGISTER_RESOLVERS, ...CONSUMER_RESOLVERS, ...EVENT_RESOLVERS, ...TOTAL_RESOLVERS] as const;

/** What runs in a subgraph: one instance of each resolver, and how its entities are found by their keys. */
export interface TariffInstances {
  readonly resolvers: readonly object[];
  readonly references: References;
}

/** The subgraph `tariffs`. Without instances it can be printed and composed, but not executed. */
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
