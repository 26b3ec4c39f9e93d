import { ForwardMigration } from '../../server/database/forward-migration';
import { CREATE_AUDIT } from '../../server/database/released-sql';

/** The audit of changes of trust: removals of passkeys and anonymising. */
export class IdentityAudit1790000000010 extends ForwardMigration {
  readonly statements = ['set local search_path = identity, register', CREATE_AUDIT];
}
