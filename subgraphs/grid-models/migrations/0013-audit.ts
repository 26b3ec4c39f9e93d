import { ForwardMigration } from '../../server/database/forward-migration';
import { CREATE_AUDIT, TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** The audit of published versions and base models, with entries for those that were published before. */
export class GridAudit1790000000013 extends ForwardMigration {
  readonly statements = [
    'set local search_path = grid_models, register',
    CREATE_AUDIT,
    FILL,
    TEMPORARY_OBJECTS_LAST('grid_models'),
  ];
}

/** The operator's command publishes without an account. */
const FILL = `
  insert into audit_entry (at, actor, action, subject, detail)
  select at, coalesce(account_id, 'operator'), action, subject,
    jsonb_build_object('version', version, 'archiveSha256', encode(archive_sha256, 'hex'))
  from (
    select v.published_at as at, v.account_id, 'publish-project-version' as action,
      concat_ws('/', p.area, p.publication_year, p.period, p.project_id) as subject, v.version, v.archive_sha256
    from project_version v join development_project p on p.id = v.project where v.version is not null
    union all
    select published_at, account_id, 'publish-base-model', concat_ws('/', area, publication_year, period), version, archive_sha256
    from base_model where version is not null) as published
  order by at`;
