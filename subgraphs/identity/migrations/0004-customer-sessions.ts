import { ForwardMigration } from '../../server/database/forward-migration';

/** Customers' sessions, and what leads to them: mailed links, attempts that a browser has started (decisions A/B, 9). */
export class CustomerSessions1790000000004 extends ForwardMigration {
  readonly statements = ['set local search_path = identity, register', SESSIONS, SIGN_IN];
}

/** What is personal is read from the Identity Record; sealed here only for a session that has none. */
const SESSIONS = `
  create table customer_session (
    id uuid primary key,
    token_hash bytea not null unique check (octet_length(token_hash) = 32),
    record_id uuid references identity_record,
    mpxn_index bytea not null check (octet_length(mpxn_index) = 32),
    meter_point_id text not null,
    sealed bytea,
    means text not null check (means in ('magic-link', 'passkey', 'supplier')),
    return_url text,
    started_at timestamptz not null default register_now(),
    expires_at timestamptz not null default register_now() + interval '8 hours',
    ended_at timestamptz,
    check ((record_id is null) = (sealed is not null)),
    check (record_id is not null or means = 'supplier'),
    check (expires_at <= started_at + interval '8 hours')
  );
  create index customer_session_record on customer_session (record_id);
  create index customer_session_expiry on customer_session (expires_at)`;

const SIGN_IN = `
  create table sign_in_link (
    secret_hash bytea primary key check (octet_length(secret_hash) = 32),
    record_id uuid not null references identity_record,
    sealed bytea not null,
    expires_at timestamptz not null default register_now() + interval '10 minutes',
    used_at timestamptz
  );
  create index sign_in_link_record on sign_in_link (record_id);
  create index sign_in_link_expiry on sign_in_link (expires_at);
  create table sign_in_attempt (
    secret_hash bytea primary key check (octet_length(secret_hash) = 32),
    kind text not null check (kind in ('passkey', 'supplier')),
    sealed bytea not null,
    expires_at timestamptz not null
  );
  create index sign_in_attempt_expiry on sign_in_attempt (expires_at)`;
