import { ForwardMigration } from '../../server/database/forward-migration';
import { CREATE_IDEMPOTENCY_KEY, CREATE_RATE_LIMIT } from '../../server/database/released-sql';

/** Accounts with their directory entry, their secrets, the audit of what was done to them, rate limits, idempotency keys. */
export class Accounts1790000000001 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    ACCOUNTS,
    CREATE_IDEMPOTENCY_KEY,
    CREATE_RATE_LIMIT,
  ];
}

const ACCOUNTS = `
  create table account (
    account_id text primary key check (account_id ~ '^acc_[0-9a-f]{24}$'),
    role text not null check (role in ('data_user', 'data_provider', 'communications_operator', 'portal', 'supplier', 'admin', 'analyst')),
    display_name text not null check (length(display_name) between 1 and 255),
    status text not null default 'active' check (status in ('active', 'suspended', 'terminated')),
    registered_at timestamptz not null default register_now(),
    suspended_at timestamptz,
    duid text unique check (duid ~ '^duid_[0-9a-f]{24}$'),
    mpid text unique check (mpid ~ '^[A-Z0-9]{4}$'),
    contact_url text,
    privacy_url text,
    data_types_supported text[] not null default '{}',
    organisation_reference text,
    return_urls text[] not null default '{}',
    oauth_issuer text,
    oauth_client_id text,
    oauth_client_secret bytea,
    check ((duid is not null) = (role in ('data_user', 'portal'))),
    check (duid is null or contact_url is not null),
    check ((mpid is not null) = (role = 'supplier')),
    check ((suspended_at is not null) = (status = 'suspended'))
  );
  create table account_secret (
    id uuid primary key default gen_random_uuid(),
    account_id text not null references account,
    kind text not null check (kind in ('sign-in', 'supplier-api')),
    secret_hash bytea not null unique,
    created_at timestamptz not null default register_now(),
    valid_until timestamptz
  );
  create index account_secret_account on account_secret (account_id);
  create table audit_entry (
    id bigint generated always as identity primary key,
    at timestamptz not null default register_now(),
    actor text not null,
    action text not null,
    subject text not null,
    detail jsonb not null
  );
  create function forbid_change() returns trigger language plpgsql as $$
    begin raise exception 'rows of % are append-only', tg_table_name using errcode = 'restrict_violation'; end $$;
  create trigger append_only before update or delete or truncate on audit_entry for each statement execute function forbid_change()`;
