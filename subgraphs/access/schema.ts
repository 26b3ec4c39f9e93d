import { RegisterError } from '../../schema/register-error';
import type { SigningKeys } from '../server/bearer-token';
import { type CallContext, duidOf } from '../server/caller';
import type { Idempotency } from '../server/idempotency';
import type { RateLimit } from '../server/rate-limits';
import type { RegisterClock } from '../server/register-clock';
import { type SubgraphSchema, buildFederatedSchema } from '../server/subgraph-schema';
import type { AccessRecordLists } from './database/access-record-lists';
import type { AccessRecordRepository } from './database/access-record.repository';
import type { AccountRepository } from './database/account.repository';
import type { DataUserRepository } from './database/data-user.repository';
import type { EventCounts } from './database/event-counts';
import type { EventLog } from './database/event-log';
import type { EventRelations } from './database/event-relations';
import type { DeliveryHealthRepository } from './database/delivery-health.repository';
import type { OrganisationRepository } from './database/organisation.repository';
import type { RecordHistory } from './database/record-history';
import type { ClosingRepository } from './database/closing.repository';
import type { CustomerRecordRepository } from './database/customer-record.repository';
import type { LegacyConsentRepository } from './database/legacy-consent.repository';
import type { RedeemedTokenRepository } from './database/redeemed-token.repository';
import type { TerminationRepository } from './database/termination.repository';
import type { PortalAccessRepository } from './database/portal-access.repository';
import type { WebhookDeliveryRepository } from './database/webhook-delivery.repository';
import type { WebhookRepository } from './database/webhook.repository';
import type { CallbackRealm } from '../delivery/callback-url';
import type { DiscoveredAccessRepository } from './database/discovered-access.repository';
import type { TenancyChangeRepository } from './database/tenancy-change.repository';
import type { CustomerScopes } from './customer-scope';
import type { DiscoveredMeterPoints } from './discovered-meter-points';
import type { IdentityLinks } from './identity-links';
import type { ReidentificationProofs } from './reidentification-proofs';
import type { VerificationLooks } from './verification-looks';
import { isOwner } from './domain/ownership';
import { AccessRecordConnectionResolver } from './resolvers/access-record-connection.resolver';
import { AccessRecordResolver } from './resolvers/access-record.resolver';
import { AccountResolver } from './resolvers/account.resolver';
import { ClosingResolver } from './resolvers/closing.resolver';
import { CustomerRecordResolver } from './resolvers/customer-record.resolver';
import { DataUserResolver } from './resolvers/data-user.resolver';
import { DeliveryHealthResolver } from './resolvers/delivery-health.resolver';
import { EventLogResolver } from './resolvers/event-log.resolver';
import { DiscoveredAccessResolver } from './resolvers/discovered-access.resolver';
import { LegacyConsentResolver } from './resolvers/legacy-consent.resolver';
import { MeterPointReference, MeterPointResolver } from './resolvers/meter-point.resolver';
import { OrganisationResolver } from './resolvers/organisation.resolver';
import { RecordMetadataResolver } from './resolvers/record-metadata.resolver';
import { RedeemedTokenResolver } from './resolvers/redeemed-token.resolver';
import { RegisterEventResolver, readableEvent } from './resolvers/register-event.resolver';
import { type SessionLimits, SessionResolver } from './resolvers/session.resolver';
import { TenancyChangeResolver } from './resolvers/tenancy-change.resolver';
import { WebhookDeliveryResolver } from './resolvers/webhook-delivery.resolver';
import { WebhookResolver } from './resolvers/webhook.resolver';

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
  readonly events: EventLog;
  readonly eventCounts: EventCounts;
  readonly eventRelations: EventRelations;
  readonly accounts: AccountRepository;
  readonly dataUsers: DataUserRepository;
  readonly organisations: OrganisationRepository;
  readonly identities: IdentityLinks;
  readonly proofs: ReidentificationProofs;
  readonly portals: PortalAccessRepository;
  readonly customers: CustomerRecordRepository;
  readonly closing: ClosingRepository;
  readonly redeemedTokens: RedeemedTokenRepository;
  readonly terminations: TerminationRepository;
  readonly legacyConsents: LegacyConsentRepository;
  readonly scopes: CustomerScopes;
  readonly discoveries: DiscoveredAccessRepository;
  readonly discoveredMeterPoints: DiscoveredMeterPoints;
  readonly tenancyChanges: TenancyChangeRepository;
  readonly looks: VerificationLooks;
  readonly webhooks: WebhookRepository;
  readonly webhookDeliveries: WebhookDeliveryRepository;
  readonly deliveryHealth: DeliveryHealthRepository;
  /** Where callback URLs may lead to. */
  readonly callbackRealm: CallbackRealm;
  readonly idempotency: Idempotency;
  readonly clock: RegisterClock;
  readonly signing: SigningKeys;
  readonly limits: AccessLimits;
  readonly production: boolean;
  /** Whether an admin may move the register's clock. */
  readonly movableClock: boolean;
}

const RESOLVERS = [
  AccessRecordResolver,
  AccessRecordConnectionResolver,
  AccountResolver,
  ClosingResolver,
  CustomerRecordResolver,
  DataUserResolver,
  DeliveryHealthResolver,
  DiscoveredAccessResolver,
  EventLogResolver,
  LegacyConsentResolver,
  MeterPointResolver,
  OrganisationResolver,
  RecordMetadataResolver,
  RedeemedTokenResolver,
  RegisterEventResolver,
  SessionResolver,
  TenancyChangeResolver,
  WebhookDeliveryResolver,
  WebhookResolver,
] as const;

/** The subgraph `access`. Without parts it can be printed and composed, but not executed. */
export function accessSchema(parts?: AccessParts): Promise<SubgraphSchema> {
  const schema = { resolvers: RESOLVERS, orphanedTypes: [MeterPointReference] };
  if (!parts) return buildFederatedSchema({ ...schema, references: {} });
  const instances = instancesOf(parts);
  const container = { get: (resolver: unknown) => instances.get(resolver) as object };
  return buildFederatedSchema({ ...schema, references: referencesOf(parts), container });
}

function instancesOf(parts: AccessParts): ReadonlyMap<unknown, object> {
  const { records, accounts, dataUsers, clock, signing, limits, production, movableClock } = parts;
  return new Map<unknown, object>([
    [AccessRecordResolver, new AccessRecordResolver(parts)],
    [AccessRecordConnectionResolver, new AccessRecordConnectionResolver()],
    [AccountResolver, new AccountResolver(accounts, clock, production, parts.terminations, movableClock)],
    [ClosingResolver, new ClosingResolver(parts.closing)],
    [CustomerRecordResolver, new CustomerRecordResolver(parts.customers, parts.scopes)],
    [DataUserResolver, new DataUserResolver(dataUsers)],
    [DeliveryHealthResolver, new DeliveryHealthResolver(parts.deliveryHealth, dataUsers)],
    [EventLogResolver, new EventLogResolver(parts.events, accounts)],
    [
      DiscoveredAccessResolver,
      new DiscoveredAccessResolver(parts.discoveries, parts.discoveredMeterPoints, parts.idempotency),
    ],
    [LegacyConsentResolver, new LegacyConsentResolver(parts)],
    [MeterPointResolver, new MeterPointResolver(parts)],
    [OrganisationResolver, new OrganisationResolver(parts.organisations)],
    [RecordMetadataResolver, new RecordMetadataResolver(records)],
    [RedeemedTokenResolver, new RedeemedTokenResolver(parts.redeemedTokens)],
    [RegisterEventResolver, new RegisterEventResolver(parts)],
    [SessionResolver, new SessionResolver(accounts, dataUsers, signing, limits)],
    [TenancyChangeResolver, new TenancyChangeResolver(parts.tenancyChanges)],
    [WebhookDeliveryResolver, new WebhookDeliveryResolver(parts.events)],
    [WebhookResolver, new WebhookResolver(parts)],
  ]);
}

function referencesOf(parts: AccessParts) {
  return {
    AccessRecord: ({ id }: { id: string }, context: CallContext) => accessRecordReference(parts.records, id, context),
    DataUser: ({ duid }: { duid: string }) => parts.dataUsers.byDuid(duid),
    RegisterEvent: ({ id }: { id: string }, context: CallContext) => readableEvent(parts, id, context),
    MeterPoint: (reference: { id: string }) => reference,
    Webhook: ({ id }: { id: string }, context: CallContext) => parts.webhooks.ownById(id, duidOf(context)),
  };
}

/** An access record that another subgraph refers to: for its Data User and the back office. */
async function accessRecordReference(records: AccessRecordRepository, id: string, { caller }: CallContext) {
  const record = await records.byId(id);
  if (record === null) return null;
  if (caller?.role === 'admin' || caller?.role === 'analyst') return record.forBackOffice();
  if (caller === null) throw new RegisterError('AUT001');
  if (!isOwner(caller, record.row.duid)) throw new RegisterError('PRM002');
  return record;
}
