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

const RecordTotalResolver = totalResolver(AccessRecordConnectionType);
const AccountTotalResolver = totalResolver(AccountConnectionType);

const RESOLVERS = [
  AccessEventResolver,
  AccessRecordResolver,
  AccessRecordFieldsResolver,
  RecordTotalResolver,
  AccountResolver,
  AccountSettingsResolver,
  AccountTotalResolver,
  AccessAuditResolver,
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

/** Builds the subgraph `access`. Without dependencies, its schema can be printed and composed, but not executed. */
export function accessSchema(parts?: AccessDependencies): Promise<SubgraphSchema> {
  const schema = { resolvers: RESOLVERS, orphanedTypes: [MeterPointReference] };
  if (!parts) return buildFederatedSchema({ ...schema, references: {} });
  const instances = instancesOf(parts);
  const container = { get: (resolver: unknown) => instances.get(resolver) as object };
  return buildFederatedSchema({ ...schema, references: referencesOf(parts), container });
}

function instancesOf(parts: AccessDependencies): ReadonlyMap<unknown, object> {
  const { records, accounts, dataUsers, clock, signing, limits, production, movableClock } = parts;
  return new Map<unknown, object>([
    [AccessEventResolver, new AccessEventResolver(records)],
    [AccessRecordResolver, new AccessRecordResolver(parts)],
    [AccessRecordFieldsResolver, new AccessRecordFieldsResolver(parts)],
    [RecordTotalResolver, new RecordTotalResolver()],
    [AccountTotalResolver, new AccountTotalResolver()],
    [AccessAuditResolver, new AccessAuditResolver(parts.audit)],
    [AccountResolver, new AccountResolver(accounts, clock, production, parts.terminations, movableClock)],
    [AccountSettingsResolver, new AccountSettingsResolver(accounts, production)],
    [ClosingResolver, new ClosingResolver(parts.closing)],
    [CustomerRecordResolver, new CustomerRecordResolver(parts.customers, parts.scopes)],
    [DataUserResolver, new DataUserResolver(dataUsers)],
    [DeliveryHealthResolver, new DeliveryHealthResolver(parts.deliveryHealth, dataUsers)],
    [EventLogResolver, new EventLogResolver(parts.events, parts.admission)],
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
    [SessionResolver, new SessionResolver(parts.admission, dataUsers, signing, limits)],
    [TenancyChangeResolver, new TenancyChangeResolver(parts.tenancyChanges)],
    [WebhookDeliveryResolver, new WebhookDeliveryResolver(parts.events)],
    [WebhookResolver, new WebhookResolver(parts)],
  ]);
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
