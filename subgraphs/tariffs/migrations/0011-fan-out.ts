import { ForwardMigration } from '../../server/database/forward-migration';
import { REPLACE_FAN_OUT } from '../../delivery/fan-out-versions.sql';
import { END_JOBS_OF_DELIVERIES } from '../../delivery/tables.sql';
import { TARIFF_JOBS } from '../tariff-jobs';

/** Results of deliveries write fewer index entries, and the jobs of the former delivery engine end: no task runs them. */
export class TariffFanOut1790000000011 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    REPLACE_FAN_OUT(),
    END_JOBS_OF_DELIVERIES(TARIFF_JOBS),
  ];
}
