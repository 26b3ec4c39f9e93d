import { ForwardMigration } from '../../server/database/forward-migration';

/** Indexes by which the audit is filtered by action and by actor, newest first. The third finds an equal entry of the last hour. */
export class IdentityAuditIndexes1790000000012 extends ForwardMigration {
  readonly statements = ['set local search_path = identity, register', INDEXES];
}

const INDEXES = `
  create index audit_entry_of_action on audit_entry (action, id);
  create index audit_entry_of_actor on audit_entry (actor, id);
  create index audit_entry_of_subject on audit_entry (subject, at)`;
