import { auditResolver } from '../server/audit/audit.resolver';

/** The audit of published archives, for admins. */
export const GridAuditResolver = auditResolver(
  'gridAuditEntries',
  'GridAuditEntry',
  'Published versions of development projects and base models, with the account that uploaded each, and time.',
);
