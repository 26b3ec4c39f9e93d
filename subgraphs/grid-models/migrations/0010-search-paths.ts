import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** A temporary table of a login replaces no table in the guards of published versions. */
export class GridSearchPaths1790000000010 extends ForwardMigration {
  readonly statements = [TEMPORARY_OBJECTS_LAST('grid_models')];
}
