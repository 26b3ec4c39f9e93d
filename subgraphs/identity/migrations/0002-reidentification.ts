import { ForwardMigration } from '../../server/database/forward-migration';

/** Changes of tenancy, passkeys, re-identifications with their ceremonies, and who looked. */
export class Reidentification1790000000002 extends ForwardMigration {
  readonly statements = [
    'set local search_path = identity, register',
    OCCUPANCIES,
    PASSKEYS,
    REIDENTIFICATIONS,
    CEREMONIES,
    LOOKS,
  ];
}

/** An occupancy begins at the latest effective change of tenancy; without one it has always been the same. */
const OCCUPANCIES = `
  create table change_of_tenancy (
    mpxn_index bytea not null check (octet_length(mpxn_index) = 32),
    effective_date date not null,
    recorded_at timestamptz not null default register_now()
  );
  create index change_of_tenancy_mpxn on change_of_tenancy (mpxn_index, effective_date);
  create index identity_record_email on identity_record (email_index)`;

/** What tells a passkey apart is a keyed hash, what verifies it is sealed under the data key of its record: both go when it is removed. */
const PASSKEYS = `
  create table passkey (
    id text primary key check (id ~ '^cred_[0-9a-f]{24}$'),
    record_id uuid not null references identity_record,
    credential_hash bytea unique check (octet_length(credential_hash) = 32),
    sealed bytea,
    transports text[],
    backup_eligible boolean not null,
    backed_up boolean not null,
    sign_count bigint not null check (sign_count >= 0),
    registered_at timestamptz not null default register_now(),
    removed_at timestamptz,
    check ((removed_at is null) = (credential_hash is not null)),
    check ((removed_at is null) = (sealed is not null))
  );
  create index passkey_record on passkey (record_id) where removed_at is null;
  create table passkey_regression (
    passkey_id text not null references passkey on delete cascade,
    refused_at timestamptz not null default register_now(),
    sign_count bigint not null,
    presented bigint not null
  );
  create index passkey_regression_passkey on passkey_regression (passkey_id)`;

/** The token-ref is kept as a keyed hash; where the customer returns to carries it and is sealed. */
const REIDENTIFICATIONS = `
  create table reidentification (
    id uuid primary key,
    token_hash bytea not null unique check (octet_length(token_hash) = 32),
    duid text not null check (duid ~ '^duid_[0-9a-f]{24}$'),
    account_id text not null,
    scope text not null check (scope in ('own', 'cross')),
    method text not null check (method in ('magic-link', 'passkey-assert', 'passkey-register')),
    record_id uuid not null references identity_record,
    return_address bytea,
    issued_at timestamptz not null,
    open_until timestamptz not null,
    expires_at timestamptz not null,
    confirmed_at timestamptz,
    check (issued_at < expires_at and open_until <= expires_at),
    check (confirmed_at < expires_at)
  );
  create index reidentification_record on reidentification (record_id);
  create index reidentification_expiry on reidentification (expires_at)`;

/** One step of a customer on the register's own pages, entered by a secret of its own. */
const CEREMONIES = `
  create table ceremony (
    id uuid primary key,
    secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
    reidentification_id uuid not null references reidentification on delete cascade,
    parent_id uuid references ceremony on delete cascade,
    kind text not null check (kind in ('confirm-link', 'confirm-proof', 'assert-passkey', 'register-passkey')),
    proofs text[] not null default '{}' check (proofs <@ '{passkey,mail}'),
    vouched boolean not null default false,
    expires_at timestamptz not null,
    challenge text,
    challenge_kind text check (challenge_kind in ('assertion', 'registration')),
    used_at timestamptz,
    check ((challenge is null) = (challenge_kind is null)),
    check ((kind = 'confirm-proof') = (parent_id is not null)),
    check (kind = 'register-passkey' or (proofs = '{}' and not vouched))
  );
  create index ceremony_reidentification on ceremony (reidentification_id);
  create index ceremony_parent on ceremony (parent_id)`;

/** Who asked about a record, by the hour (decisions A/B, 10): goes with the record. */
const LOOKS = `
  create table identity_look (
    record_id uuid not null references identity_record,
    duid text not null,
    kind text not null check (kind in ('existence-check', 'reidentification')),
    hour timestamptz not null,
    count integer not null check (count > 0),
    primary key (record_id, duid, kind, hour)
  );
  create index identity_look_hour on identity_look (hour)`;
