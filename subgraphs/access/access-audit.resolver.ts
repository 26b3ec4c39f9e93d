import { auditResolver } from '../server/audit/audit.resolver';

/** The audit of accounts, webhooks of Data Users and the clock, for admins. */
export const AccessAuditResolver = auditResolver(
  'auditEntries',
  'AuditEntry',
  'Changes of accounts, webhooks of Data Users and the clock, with actor, time and former value.',
);
