import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** Temporary objects of a login replace no type or table in functions that run as the owner. */
export class SearchPaths1790000000027 extends ForwardMigration {
  readonly statements = [TEMPORARY_OBJECTS_LAST('access')];
}
