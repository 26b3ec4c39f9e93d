import { auditResolver } from '../server/audit/audit.resolver';

/** The audit of suppliers, RTI Users and their webhooks, for admins. */
export const TariffAuditResolver = auditResolver(
  'tariffAuditEntries',
  'TariffAuditEntry',
  'Changes of suppliers and RTI Users: addresses, token issuers, status and webhooks, with actor, time and former value.',
);
