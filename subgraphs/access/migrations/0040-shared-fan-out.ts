import { SHARE_FAN_OUT } from '../../delivery/fan-out-versions.sql';
import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/**
 * Notices of expiry of one Data User do not delay the other events of all. No notice is made, and no event planned that can wait, by a clock
 * that has jumped.
 */
export class SharedFanOut1790000000040 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    SHARE_FAN_OUT('make_notices_of_expiry'),
    TEMPORARY_OBJECTS_LAST('access'),
  ];
}
