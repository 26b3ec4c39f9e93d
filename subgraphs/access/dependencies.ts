import type { SigningKeys } from '../server/callers/bearer-token';
import type { AuditLog } from '../server/audit/audit.repository';
import type { Idempotency } from '../server/idempotency';
import type { RateLimit } from '../server/callers/rate-limits';
import type { RegisterClock } from '../server/database/register-clock';
import type { AccessRecordQueries } from './records/access-record.queries';
import type { AccessRecordRepository } from './records/access-record.repository';
import type { AccountAdmission } from './accounts/account-admission.queries';
import type { AccountRepository } from './accounts/account.repository';
import type { DataUserRepository } from './accounts/data-user.repository';
import type { EventCounts } from './events/event-counts.queries';
import type { EventLog } from './events/event-log.queries';
import type { EventRelations } from './events/event-relations.queries';
import type { DeliveryHealthRepository } from './webhooks/delivery-health.repository';
import type { recordsOfOperations } from './records/operation-records.queries';
import type { OrganisationRepository } from './accounts/organisation.repository';
import type { RecordHistory } from './records/record-history.queries';
import type { ClosingRepository } from './identity-links/closing.repository';
import type { CustomerRecordRepository } from './customers/customer-record.repository';
import type { LegacyConsentRepository } from './legacy/legacy-consent.repository';
import type { RedeemedTokenRepository } from './identity-links/redeemed-token.repository';
import type { TerminationRepository } from './accounts/termination.repository';
import type { PortalAccessRepository } from './customers/portal-access.repository';
import type { WebhookDeliveryRepository } from './webhooks/webhook-delivery.repository';
import type { WebhookRepository } from './webhooks/webhook.repository';
import type { CallbackUrlPolicy } from '../delivery/requests/callback-url';
import type { DiscoveredAccessRepository } from './operator/discovered-access.repository';
import type { TenancyChangeRepository } from './operator/tenancy-change.repository';
import type { CustomerScopes } from './customers/customer-scope.client';
import type { DiscoveredMeterPoints } from './operator/discovered-meter-points.client';
import type { IdentityLinks } from './identity-links/identity-link.client';
import type { ReidentificationProofs } from './identity-links/reidentification-proof.client';
import type { VerificationCounter } from './customers/verification-counter.flow';
import type { SessionLimits } from './accounts/session.resolver';

/** Rate limits of `access`. */
export interface AccessLimits extends SessionLimits {
  /** Verifications of unknown keys from an address. */
  readonly verifyMisses: RateLimit;
}

/** Dependencies of the resolvers of `access`. */
export interface AccessDependencies {
  readonly records: AccessRecordRepository;
  readonly recordQueries: AccessRecordQueries;
  readonly recordsOfOperations: ReturnType<typeof recordsOfOperations>;
  readonly history: RecordHistory;
  readonly events: EventLog;
  readonly eventCounts: EventCounts;
  readonly eventRelations: EventRelations;
  readonly accounts: AccountRepository;
  readonly audit: AuditLog;
  readonly admission: AccountAdmission;
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
  readonly lookups: VerificationCounter;
  readonly webhooks: WebhookRepository;
  readonly webhookDeliveries: WebhookDeliveryRepository;
  readonly deliveryHealth: DeliveryHealthRepository;
  /** Which callback URLs are allowed. */
  readonly callbackUrlPolicy: CallbackUrlPolicy;
  readonly idempotency: Idempotency;
  readonly clock: RegisterClock;
  readonly signing: SigningKeys;
  readonly limits: AccessLimits;
  readonly production: boolean;
  /** Whether an admin may move the register's clock. */
  readonly movableClock: boolean;
}
