/**
 * What the login of `grid-models` may do with its tables: a version is staged and numbered once, or removed with its parts. The guards
 * of the tables see to it that nothing of a published version is added to, changed or removed.
 */
export const gridModelRights = (role: string): string => `
  grant select, insert on development_project to ${role};
  grant select, insert, delete on difference_model, model_dependency, content, content_chunk, difference_item, item_statement,
    class_count, object_change, grid_location, project_version, upload to ${role};
  grant update (project, version, published_at, unplaced_points) on project_version to ${role};
  grant update (project_version, archive_sha256) on upload to ${role};
  grant select, insert, update, delete on rate_limit to ${role};`;
