import { ForwardMigration } from '../../server/database/forward-migration';

/** The audit of changes of trust: removals of passkeys and anonymising. */
export class IdentityAudit1790000000010 extends ForwardMigration {
  readonly statements = ['set local search_path = identity, register', AUDIT];
}

const AUDIT = `
  create table audit_entry (
    id bigint generated always as identity primary key,
    at timestamptz not null default register_now(),
    actor text not null,
    action text not null,
    subject text not null,
    detail jsonb not null
  );
  create function forbid_audit_change() returns trigger language plpgsql as $$
    begin raise exception 'rows of % are append-only', tg_table_name using errcode = 'restrict_violation'; end $$;
  create trigger append_only before update or delete or truncate on audit_entry
    for each statement execute function forbid_audit_change()`;
