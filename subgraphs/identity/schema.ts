import type { Idempotency } from '../server/idempotency';
import type { RateLimit } from '../server/rate-limits';
import { type ReferenceResolver, type SubgraphSchema, buildFederatedSchema } from '../server/subgraph-schema';
import type { BlindIndexes } from './database/blind-index';
import type { IdentityRecordRepository } from './database/identity-record.repository';
import { IdentityRecordLinkResolver } from './resolvers/identity-record-link.resolver';
import { IdentityRecordResolver } from './resolvers/identity-record.resolver';
import { MeterPointResolver } from './resolvers/meter-point.resolver';

/** What the resolvers of `identity` work with. */
export interface IdentityParts {
  readonly records: IdentityRecordRepository;
  readonly indexes: BlindIndexes;
  readonly idempotency: Idempotency;
  /** Of an account that asks whether Identity Records exist. */
  readonly existenceChecks: readonly RateLimit[];
  readonly production: boolean;
}

/** The subgraph `identity`. Without parts it can be printed and composed, but not executed. */
export function identitySchema(parts?: IdentityParts): Promise<SubgraphSchema> {
  const resolvers = [IdentityRecordResolver, MeterPointResolver, IdentityRecordLinkResolver] as const;
  if (!parts) return buildFederatedSchema({ resolvers, references: {} });
  const { records, indexes, idempotency, existenceChecks, production } = parts;
  const identityRecords = new IdentityRecordResolver(records, idempotency, production);
  const instances = new Map<unknown, unknown>([
    [IdentityRecordResolver, identityRecords],
    [MeterPointResolver, new MeterPointResolver(records, indexes, existenceChecks)],
    [IdentityRecordLinkResolver, new IdentityRecordLinkResolver(records)],
  ]);
  return buildFederatedSchema({
    resolvers,
    references: {
      IdentityRecord: (reference, context) => identityRecords.byReference(reference, context),
      MeterPoint: ({ id }: { id: string }) => ({ id }),
    } satisfies Record<string, ReferenceResolver>,
    container: { get: (resolver) => instances.get(resolver) },
  });
}
