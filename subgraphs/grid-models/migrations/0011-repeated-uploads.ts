import { ForwardMigration } from '../../server/database/forward-migration';

/** Adds when an upload address was prepared, which limits its extension, and the index by which full models are found. */
export class RepeatedUploads1790000000011 extends ForwardMigration {
  readonly statements = ['set local search_path = grid_models, register', PREPARED, FULL_MODELS];
}

/** The previous release adds addresses without it. Those that exist count as prepared at the migration. */
const PREPARED = 'alter table upload add prepared_at timestamptz not null default register_now()';

/** The warnings of a version search a full model for each dependency. */
const FULL_MODELS = 'create index base_file_mrid on base_file (lower(mrid))';
