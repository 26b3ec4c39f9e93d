import { ForwardMigration } from '../../server/database/forward-migration';
import { REDELIVER_FROM_FIRST_ATTEMPT } from '../../delivery/tables.sql';

/** A redelivery starts the schedule from its first attempt. A process of the previous release calls the same function. */
export class Redelivery1790000000020 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', REDELIVER_FROM_FIRST_ATTEMPT];
}
