import { auditResolver } from '../server/audit/audit.resolver';

/** The audit of Identity Records, for admins. */
export const IdentityAuditResolver = auditResolver(
  'identityAuditEntries',
  'IdentityAuditEntry',
  'Registrations and removals of passkeys, anonymising, and rejected reads of Identity Records, with actor, time and former value.',
);
