import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** Temporary objects of a login replace no type or table in the functions of deliveries. */
export class TariffSearchPaths1790000000016 extends ForwardMigration {
  readonly statements = [TEMPORARY_OBJECTS_LAST('tariffs')];
}
