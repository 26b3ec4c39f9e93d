import { ForwardMigration } from '../../server/database/forward-migration';

/** Indexes by which the audit is filtered by action and by actor, newest first. */
export class TariffAuditIndexes1790000000009 extends ForwardMigration {
  readonly statements = ['set local search_path = tariffs, register', INDEXES];
}

const INDEXES = `
  create index audit_entry_of_action on audit_entry (action, id);
  create index audit_entry_of_actor on audit_entry (actor, id)`;
