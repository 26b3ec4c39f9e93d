import { ForwardMigration } from '../../server/database/forward-migration';
import { RESTORE_IN_FAN_OUT } from '../../delivery/fan-out-versions.sql';

/** A delivered event remains delivered if its redelivery is superseded. A process of the previous release calls the same function. */
export class TariffSupersededRedeliveries1790000000014 extends ForwardMigration {
  readonly statements = ['set local search_path = tariffs, register', RESTORE_IN_FAN_OUT()];
}
