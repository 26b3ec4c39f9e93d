import { RegisterError } from '../../schema/register-error';
import { type CallContext, duidOf } from '../server/callers/caller';
import { type SubgraphSchema, buildFederatedSchema } from '../server/graph/subgraph-schema';
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
import { FailedDeliveryResolver } from './webhooks/failed-delivery.resolver';
import { EventLogResolver } from './events/event-log.resolver';
import { DiscoveredAccessResolver } from './operator/discovered-access.resolver';
import { LegacyConsentResolver } from './legacy/legacy-consent.resolver';
import { MeterPointReference, MeterPointResolver } from './records/meter-point.resolver';
import { RecordCountsResolver } from './records/record-counts.resolver';
import { OrganisationResolver } from './accounts/organisation.resolver';
import { RedeemedTokenResolver } from './identity-links/redeemed-token.resolver';
import { readableEvent } from './events/event-rights.flow';
import { RegisterEventResolver } from './events/register-event.resolver';
import { SessionResolver } from './accounts/session.resolver';
import { TenancyChangeResolver } from './operator/tenancy-change.resolver';
import { WebhookDeliveryResolver } from './webhooks/webhook-delivery.resolver';
import { WebhookResolver } from './webhooks/webhook.resolver';
import type { AccessDependencies } from './dependencies';

/** Creates a resolver from the dependencies. */
interface ResolverFactory {
  readonly type: Function;
  make(dependencies: AccessDependencies): object;
}

/** Pairs a resolver with the arguments of its constructor. */
function resolver<Arguments extends unknown[] | []>(
  type: new (...values: Arguments) => object,
  argumentsOf: (dependencies: AccessDependencies) => NoInfer<Arguments>,
): ResolverFactory {
  return { type, make: (dependencies) => new type(...argumentsOf(dependencies)) };
}

const RECORDS = [
  resolver(AccessRecordResolver, (dependencies) => [dependencies]),
  resolver(AccessRecordFieldsResolver, (dependencies) => [dependencies]),
  resolver(AccessEventResolver, ({ records }) => [records]),
  resolver(RecordMetadataResolver, ({ records }) => [records]),
  resolver(MeterPointResolver, (dependencies) => [dependencies]),
  resolver(RecordCountsResolver, ({ recordQueries, dataUsers }) => [recordQueries, dataUsers]),
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
  resolver(DiscoveredAccessResolver, (dependencies) => [
    dependencies.discoveries,
    dependencies.discoveredMeterPoints,
    dependencies.idempotency,
  ]),
  resolver(TenancyChangeResolver, ({ tenancyChanges }) => [tenancyChanges]),
];

const WEBHOOKS = [
  resolver(WebhookResolver, (dependencies) => [dependencies]),
  resolver(WebhookDeliveryResolver, ({ events }) => [events]),
  resolver(DeliveryHealthResolver, ({ deliveryHealth, dataUsers }) => [deliveryHealth, dataUsers]),
  resolver(FailedDeliveryResolver, ({ deliveryHealth, dataUsers }) => [deliveryHealth, dataUsers]),
];

const EVENTS = [
  resolver(EventLogResolver, ({ events, admission }) => [events, admission]),
  resolver(RegisterEventResolver, (dependencies) => [dependencies]),
];

const LEGACY = [resolver(LegacyConsentResolver, (dependencies) => [dependencies])];

/** The resolvers of `access`, by folder. */
const RESOLVERS: readonly ResolverFactory[] = [
  ...[...RECORDS, ...IDENTITY_LINKS, ...ACCOUNTS, ...CUSTOMERS],
  ...[...OPERATOR, ...WEBHOOKS, ...EVENTS, ...LEGACY],
];

/** Builds the subgraph `access`. Without dependencies, its schema can be printed and composed, but not executed. */
export function accessSchema(dependencies?: AccessDependencies): Promise<SubgraphSchema> {
  const schema = { resolvers: RESOLVERS.map(({ type }) => type) as never, orphanedTypes: [MeterPointReference] };
  if (!dependencies) return buildFederatedSchema({ ...schema, references: {} });
  const instances = new Map<unknown, object>(RESOLVERS.map(({ type, make }) => [type, make(dependencies)]));
  const container = { get: (type: unknown) => instances.get(type) as object };
  return buildFederatedSchema({ ...schema, references: referencesOf(dependencies), container });
}

function referencesOf(dependencies: AccessDependencies) {
  return {
    AccessRecord: ({ id }: { id: string }, context: CallContext) =>
      accessRecordReference(dependencies.recordsOfOperations, id, context),
    DataUser: ({ duid }: { duid: string }) => dependencies.dataUsers.byDuid(duid),
    RegisterEvent: ({ id }: { id: string }, context: CallContext) => readableEvent(dependencies, id, context),
    MeterPoint: (reference: { id: string }) => reference,
    Webhook: ({ id }: { id: string }, context: CallContext) => dependencies.webhooks.ownById(id, duidOf(context)),
  };
}

/** Resolves an access record that another subgraph references, for its Data User and the back office. */
async function accessRecordReference(
  recordOf: AccessDependencies['recordsOfOperations'],
  id: string,
  context: CallContext,
) {
  const { caller } = context;
  const record = await recordOf(id, context, true);
  if (record === null) return null;
  if (caller?.role === 'admin' || caller?.role === 'analyst') return record.forBackOffice();
  if (caller === null) throw new RegisterError('AUT001');
  if (!isOwner(caller, record.row.duid)) throw new RegisterError('PRM002');
  return record;
}
