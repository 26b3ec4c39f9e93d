import { ForwardMigration } from '../../server/database/forward-migration';
import { REDELIVER_AFTER_LOCKING_ENDPOINT } from '../../delivery/tables.sql';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** Redeliveries lock an endpoint before its deliveries, as the fan-out does. A process of the previous release calls the same function. */
export class TariffEndpointsLockedFirst1790000000020 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    REDELIVER_AFTER_LOCKING_ENDPOINT,
    TEMPORARY_OBJECTS_LAST('tariffs'),
  ];
}
