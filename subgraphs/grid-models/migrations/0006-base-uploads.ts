import { ForwardMigration } from '../../server/database/forward-migration';

/** Upload addresses of base models: they have no project, and a used one stores the base model. */
export class BaseUploads1790000000006 extends ForwardMigration {
  readonly statements = ['set local search_path = grid_models, register', UPLOADS];
}

/** The previous release adds addresses of projects only, which satisfy the new constraints. */
const UPLOADS = `
  alter table upload
    alter project_id drop not null,
    add base_model uuid references base_model,
    drop constraint used_whole,
    add constraint used_whole check (num_nonnulls(project_version, base_model) = num_nonnulls(archive_sha256)),
    add constraint used_by_its_kind check (case when project_id is null then project_version is null else base_model is null end)`;
