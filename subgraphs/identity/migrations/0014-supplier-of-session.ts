import { ForwardMigration } from '../../server/database/forward-migration';

/** The supplier that proved the customer of a session; null for other sign-ins, and in sessions of the previous release. */
export class SupplierOfSession1790000000014 extends ForwardMigration {
  readonly statements = [
    'set local search_path = identity, register',
    `alter table customer_session add column mpid text`,
  ];
}
