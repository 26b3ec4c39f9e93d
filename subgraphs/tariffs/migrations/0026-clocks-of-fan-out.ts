import { COMPARE_CLOCKS_IN_FAN_OUT } from '../../delivery/fan-out-versions.sql';
import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';
import { WAIT_FOR_CONSENTS } from './0019-receivers-in-progress';

/** No event is planned that can wait, by a clock that has jumped: to such a clock, a planned end of an assignment has ended the consents. */
export class TariffClocksOfFanOut1790000000026 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    COMPARE_CLOCKS_IN_FAN_OUT(WAIT_FOR_CONSENTS),
    TEMPORARY_OBJECTS_LAST('tariffs'),
  ];
}
