import { RegisterError } from '../../schema/register-error';
import { type CallContext, duidOf } from '../server/callers/caller';
import { type SubgraphSchema, buildFederatedSchema } from '../server/graph/subgraph-schema';
import type { AccessRecordRepository } from './records/access-record.repository';
import { isOwner } from './records/access-record';
import { totalResolver } from '../server/lists/connection.types';
import { AccessRecordConnectionType } from './records/access-record.payloads';
import { AccountConnectionType } from './accounts/account.types';
import {
  AccessEventResolver,
  AccessRecordFieldsResolver,
  RecordMetadataResolver,
} from './records/access-record-fields.resolver';
import { AccessRecordResolver } from './records/access-record.resolver';
import { AccountResolver } from './accounts/account.resolver';
import { AccountSettingsResolver } from './accounts/account-settings.resolver';
import { AccessAuditResolver } from './access-audit.resolver';
import { ClosingResolver } from './identity-links/closing.resolver';
import { CustomerRecordResolver } from './customers/customer-record.resolver';
import { DataUserResolver } from './accounts/data-user.resolver';
import { DeliveryHealthResolver } from './webhooks/delivery-health.resolver';
import { EventLogResolver } from './events/event-log.resolver';
import { DiscoveredAccessResolver } from './operator/discovered-access.resolver';
import { LegacyConsentResolver } from './legacy/legacy-consent.resolver';
import { MeterPointReference, MeterPointResolver } from './records/meter-point.resolver';
import { OrganisationResolver } from './accounts/organisation.resolver';
import { RedeemedTokenResolver } from './identity-links/redeemed-token.resolver';
import { RegisterEventResolver, readableEvent } from './events/register-event.resolver';
import { SessionResolver } from './accounts/session.resolver';
import { TenancyChangeResolver } from './operator/tenancy-change.resolver';
import { WebhookDeliveryResolver } from './webhooks/webhook-delivery.resolver';
import { WebhookResolver } from './webhooks/webhook.resolver';
import type { AccessDependencies } from './dependencies';

/** Creates a resolver from the dependencies. */
interface ResolverFactory {
  readonly type: Function;
  make(parts: AccessDependencies): object;
}

/** Pairs a resolver with the arguments of its constructor. */
function resolver<Arguments extends unknown[] | []>(
  type: new (...parts: Arguments) => object,
  argumentsOf: (parts: AccessDependencies) => NoInfer<Arguments>,
): ResolverFactory {
  return { type, make: (parts) => new type(...argumentsOf(parts)) };
}

const RECORDS = [
  resolver(AccessRecordResolver, (parts) => [parts]),
  resolver(AccessRecordFieldsResolver, (parts) => [parts]),
  resolver(AccessEventResolver, ({ records }) => [records]),
  resolver(RecordMetadataResolver, ({ records }) => [records]),
  resolver(MeterPointResolver, (parts) => [parts]),
  resolver(totalResolver(AccessRecordConnectionType), () => []),
];

const IDENTITY_LINKS = [
  resolver(ClosingResolver, ({ closing }) => [closing]),
  resolver(RedeemedTokenResolver, ({ redeemedTokens }) => [redeemedTokens]),
];

const ACCOUNTS = [
  resolver(AccountResolver, ({ accounts, clock, production, terminations, movableClock }) => [
    accounts,
    clock,
    production,
    terminations,
    movableClock,
  ]),
  resolver(AccountSettingsResolver, ({ accounts, production }) => [accounts, production]),
  resolver(AccessAuditResolver, ({ audit }) => [audit]),
  resolver(DataUserResolver, ({ dataUsers }) => [dataUsers]),
  resolver(OrganisationResolver, ({ organisations }) => [organisations]),
  resolver(SessionResolver, ({ admission, dataUsers, signing, limits }) => [admission, dataUsers, signing, limits]),
  resolver(totalResolver(AccountConnectionType), () => []),
];

const CUSTOMERS = [resolver(CustomerRecordResolver, ({ customers, scopes }) => [customers, scopes])];

const OPERATOR = [
  resolver(DiscoveredAccessResolver, (parts) => [parts.discoveries, parts.discoveredMeterPoints, parts.idempotency]),
  resolver(TenancyChangeResolver, ({ tenancyChanges }) => [tenancyChanges]),
];

const WEBHOOKS = [
  resolver(WebhookResolver, (parts) => [parts]),
  resolver(WebhookDeliveryResolver, ({ events }) => [events]),
  resolver(DeliveryHealthResolver, ({ deliveryHealth, dataUsers }) => [deliveryHealth, dataUsers]),
];

const EVENTS = [
  resolver(EventLogResolver, ({ events, admission }) => [events, admission]),
  resolver(RegisterEventResolver, (parts) => [parts]),
];

const LEGACY = [resolver(LegacyConsentResolver, (parts) => [parts])];

/** The resolvers of `access`, by folder. */
const RESOLVERS: readonly ResolverFactory[] = [
  ...[...RECORDS, ...IDENTITY_LINKS, ...ACCOUNTS, ...CUSTOMERS],
  ...[...OPERATOR, ...WEBHOOKS, ...EVENTS, ...LEGACY],
];

/** Builds the subgraph `access`. Without dependencies, its schema can be printed and composed, but not executed. */
export function accessSchema(parts?: AccessDependencies): Promise<SubgraphSchema> {
  const schema = { resolvers: RESOLVERS.map(({ type }) => type) as never, orphanedTypes: [MeterPointReference] };
  if (!parts) return buildFederatedSchema({ ...schema, references: {} });
  const instances = new Map<unknown, object>(RESOLVERS.map(({ type, make }) => [type, make(parts)]));
  const container = { get: (type: unknown) => instances.get(type) as object };
  return buildFederatedSchema({ ...schema, references: referencesOf(parts), container });
}

function referencesOf(parts: AccessDependencies) {
  return {
    AccessRecord: ({ id }: { id: string }, context: CallContext) => accessRecordReference(parts.records, id, context),
    DataUser: ({ duid }: { duid: string }) => parts.dataUsers.byDuid(duid),
    RegisterEvent: ({ id }: { id: string }, context: CallContext) => readableEvent(parts, id, context),
    MeterPoint: (reference: { id: string }) => reference,
    Webhook: ({ id }: { id: string }, context: CallContext) => parts.webhooks.ownById(id, duidOf(context)),
  };
}

/** Resolves an access record that another subgraph references, for its Data User and the back office. */
async function accessRecordReference(records: AccessRecordRepository, id: string, { caller }: CallContext) {
  const record = await records.byId(id);
  if (record === null) return null;
  if (caller?.role === 'admin' || caller?.role === 'analyst') return record.forBackOffice();
  if (caller === null) throw new RegisterError('AUT001');
  if (!isOwner(caller, record.row.duid)) throw new RegisterError('PRM002');
  return record;
}
