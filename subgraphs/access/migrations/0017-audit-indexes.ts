import { ForwardMigration } from '../../server/database/forward-migration';

/** Indexes by which the audit is filtered by action and by actor, newest first. */
export class AccessAuditIndexes1790000000017 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', INDEXES];
}

const INDEXES = `
  create index audit_entry_of_action on audit_entry (action, id);
  create index audit_entry_of_actor on audit_entry (actor, id)`;
