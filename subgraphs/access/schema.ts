import { RegisterError } from '../../schema/register-error';
import type { SigningKeys } from '../server/bearer-token';
import type { CallContext } from '../server/caller';
import type { Idempotency } from '../server/idempotency';
import type { RateLimit } from '../server/rate-limits';
import type { RegisterClock } from '../server/register-clock';
import { type SubgraphSchema, buildFederatedSchema } from '../server/subgraph-schema';
import type { AccessRecordLists } from './database/access-record-lists';
import type { AccessRecordRepository } from './database/access-record.repository';
import type { AccountRepository } from './database/account.repository';
import type { DataUserRepository } from './database/data-user.repository';
import type { OrganisationRepository } from './database/organisation.repository';
import type { RecordHistory } from './database/record-history';
import type { ClosingRepository } from './database/closing.repository';
import type { CustomerRecordRepository } from './database/customer-record.repository';
import type { PortalAccessRepository } from './database/portal-access.repository';
import type { CustomerScopes } from './customer-scope';
import type { IdentityLinks } from './identity-links';
import type { ReidentificationProofs } from './reidentification-proofs';
import type { VerificationLooks } from './verification-looks';
import { AccessRecordConnectionResolver } from './resolvers/access-record-connection.resolver';
import { AccessRecordResolver } from './resolvers/access-record.resolver';
import { AccountResolver } from './resolvers/account.resolver';
import { ClosingResolver } from './resolvers/closing.resolver';
import { CustomerRecordResolver } from './resolvers/customer-record.resolver';
import { DataUserResolver } from './resolvers/data-user.resolver';
import { MeterPointReference, MeterPointResolver } from './resolvers/meter-point.resolver';
import { OrganisationResolver } from './resolvers/organisation.resolver';
import { RecordMetadataResolver } from './resolvers/record-metadata.resolver';
import { type SessionLimits, SessionResolver } from './resolvers/session.resolver';

/** Limits that resolvers of `access` count (2-decisions-a-b.md, section 2). */
export interface AccessLimits extends SessionLimits {
  /** Verifications of unknown keys from an address. */
  readonly verifyMisses: RateLimit;
}

/** What the resolvers of `access` work with. */
export interface AccessParts {
  readonly records: AccessRecordRepository;
  readonly lists: AccessRecordLists;
  readonly history: RecordHistory;
  readonly accounts: AccountRepository;
  readonly dataUsers: DataUserRepository;
  readonly organisations: OrganisationRepository;
  readonly identities: IdentityLinks;
  readonly proofs: ReidentificationProofs;
  readonly portals: PortalAccessRepository;
  readonly customers: CustomerRecordRepository;
  readonly closing: ClosingRepository;
  readonly scopes: CustomerScopes;
  readonly looks: VerificationLooks;
  readonly idempotency: Idempotency;
  readonly clock: RegisterClock;
  readonly signing: SigningKeys;
  readonly limits: AccessLimits;
  readonly production: boolean;
}

/** The subgraph `access`. Without parts it can be printed and composed, but not executed. */
export function accessSchema(parts?: AccessParts): Promise<SubgraphSchema> {
  const resolvers = [
    AccessRecordResolver,
    AccessRecordConnectionResolver,
    AccountResolver,
    ClosingResolver,
    CustomerRecordResolver,
    DataUserResolver,
    MeterPointResolver,
    OrganisationResolver,
    RecordMetadataResolver,
    SessionResolver,
  ] as const;
  const orphanedTypes = [MeterPointReference];
  if (!parts) return buildFederatedSchema({ resolvers, orphanedTypes, references: {} });
  const { records, accounts, dataUsers, clock, signing, limits, production } = parts;
  const instances = new Map<unknown, object>([
    [AccessRecordResolver, new AccessRecordResolver(parts)],
    [AccessRecordConnectionResolver, new AccessRecordConnectionResolver()],
    [AccountResolver, new AccountResolver(accounts, clock, production)],
    [ClosingResolver, new ClosingResolver(parts.closing)],
    [CustomerRecordResolver, new CustomerRecordResolver(parts.customers, parts.scopes)],
    [DataUserResolver, new DataUserResolver(dataUsers)],
    [MeterPointResolver, new MeterPointResolver(parts)],
    [OrganisationResolver, new OrganisationResolver(parts.organisations)],
    [RecordMetadataResolver, new RecordMetadataResolver(records)],
    [SessionResolver, new SessionResolver(accounts, dataUsers, signing, limits)],
  ]);
  return buildFederatedSchema({
    resolvers,
    orphanedTypes,
    references: {
      AccessRecord: ({ id }: { id: string }, context: CallContext) => accessRecordReference(records, id, context),
      DataUser: ({ duid }: { duid: string }) => dataUsers.byDuid(duid),
      MeterPoint: (reference: { id: string }) => reference,
    },
    container: { get: (resolver: unknown) => instances.get(resolver) as object },
  });
}

/** An access record that another subgraph refers to: for its Data User and the back office. */
async function accessRecordReference(records: AccessRecordRepository, id: string, { caller }: CallContext) {
  const record = await records.byId(id);
  if (record === null || caller?.role === 'admin' || caller?.role === 'analyst') return record;
  if (caller === null) throw new RegisterError('AUT001');
  if (caller.duid !== record.row.duid) throw new RegisterError('PRM002');
  return record;
}
