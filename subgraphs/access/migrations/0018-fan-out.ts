import { ForwardMigration } from '../../server/database/forward-migration';
import { REPLACE_FAN_OUT } from '../../delivery/fan-out-versions.sql';
import { END_JOBS_OF_DELIVERIES } from '../../delivery/tables.sql';

/** Results of deliveries write fewer index entries, and the jobs of the former delivery engine end: no task runs them. */
export class FanOut1790000000018 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    REPLACE_FAN_OUT('make_notices_of_expiry'),
    END_JOBS_OF_DELIVERIES('access_jobs'),
  ];
}
