import { ForwardMigration } from '../../server/database/forward-migration';

/** The supplier that proved the customer who gave a verdict; null in verdicts of the previous release. */
export class SupplierOfVerdict1790000000020 extends ForwardMigration {
  readonly statements = [
    'set local search_path = identity, register',
    'alter table contact_verdict add column mpid text',
  ];
}
