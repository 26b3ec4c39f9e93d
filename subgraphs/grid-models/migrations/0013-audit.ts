import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** The audit of published versions and base models, with entries for those that were published before. */
export class GridAudit1790000000013 extends ForwardMigration {
  readonly statements = [
    'set local search_path = grid_models, register',
    AUDIT,
    FILL,
    APPEND_ONLY,
    TEMPORARY_OBJECTS_LAST('grid_models'),
  ];
}

const AUDIT = `
  create table audit_entry (
    id bigint generated always as identity primary key,
    at timestamptz not null default register_now(),
    actor text not null,
    action text not null,
    subject text not null,
    detail jsonb not null
  )`;

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

const APPEND_ONLY = `
  create function forbid_audit_change() returns trigger language plpgsql as $$
    begin raise exception 'rows of % are append-only', tg_table_name using errcode = 'restrict_violation'; end $$;
  create trigger append_only before update or delete or truncate on audit_entry
    for each statement execute function forbid_audit_change()`;
