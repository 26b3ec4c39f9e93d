import { ForwardMigration } from '../../server/database/forward-migration';

/** Adds the class under which an object of unknown class is listed. Migration 0009 fills it, so that this lock of the table is short. */
export class ListedType1790000000008 extends ForwardMigration {
  readonly statements = ['set local search_path = grid_models, register', LISTED_TYPE];
}

/**
 * If no file states the class: that of the base model when the version was published, or else the one that its attributes suggest. Null if
 * a file states the class, or if it remains unknown. The previous release inserts null; migration 0009 replaces the indexes.
 */
const LISTED_TYPE = `
  alter table object_change add listed_type text, alter listed_type set statistics 0;
  drop index object_change_listed;
  drop index object_change_listed_by_kind;
  drop index object_change_type`;
