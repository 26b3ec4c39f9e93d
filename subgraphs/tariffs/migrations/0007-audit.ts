import { ForwardMigration } from '../../server/database/forward-migration';
import { CREATE_AUDIT } from '../../server/database/released-sql';

/** The audit of changes of trust: addresses, token issuers and status of suppliers and RTI Users. */
export class TariffAudit1790000000007 extends ForwardMigration {
  readonly statements = ['set local search_path = tariffs, register', CREATE_AUDIT];
}
