import { ForwardMigration } from '../../server/database/forward-migration';

/** Access records with their versions and transitions; what must never be rewritten is refused by the database itself. */
export class AccessRecords1790000000002 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', TABLES, APPEND_ONLY, GUARD_CHANGES, GUARD_HISTORY];
}

const TABLES = `
  create table access_record (
    id uuid primary key,
    key_hash bytea not null unique,
    key_sealed bytea not null,
    duid text not null references account (duid),
    identity_record_id uuid,
    identity_record_ref text,
    meter_point_id text,
    version integer not null default 1,
    state text not null check (state in ('ACTIVE', 'REVOKED', 'EXPIRED', 'DISCOVERED')),
    legal_basis text check (legal_basis in ('uk-consent', 'uk-explicit-consent', 'uk-public-task', 'uk-legitimate-interests',
      'uk-legal-obligation', 'uk-contract')),
    registered_at timestamptz not null,
    expiry timestamptz,
    created_at timestamptz not null default register_now(),
    revoked_at timestamptz,
    document jsonb not null,
    check ((revoked_at is not null) = (state = 'REVOKED'))
  );
  create index access_record_newest on access_record (created_at desc, id desc);
  create index access_record_of_data_user on access_record (duid, created_at desc, id desc);
  create index access_record_count on access_record (duid, state, legal_basis, expiry);
  create index access_record_at_meter_point on access_record (meter_point_id, created_at desc, id desc);
  create table access_record_version (
    record_id uuid not null references access_record,
    version integer not null,
    recorded_at timestamptz not null default register_now(),
    account_id text not null,
    legal_basis text,
    registered_at timestamptz not null,
    expiry timestamptz,
    document jsonb not null,
    primary key (record_id, version)
  );
  create table access_record_transition (
    record_id uuid not null references access_record,
    number integer not null,
    at timestamptz not null default register_now(),
    from_state text,
    to_state text not null,
    cause text not null,
    reason text,
    account_id text,
    primary key (record_id, number)
  )`;

const APPEND_ONLY = `
  create trigger append_only before update or delete or truncate on access_record_version
    for each statement execute function forbid_change();
  create trigger append_only before update or delete or truncate on access_record_transition
    for each statement execute function forbid_change();
  create trigger never_deleted before delete or truncate on access_record
    for each statement execute function forbid_change();
  create function forbid_new_access_record() returns trigger language plpgsql as $$
    begin raise exception 'an access record does not begin as %', new.state using errcode = 'restrict_violation'; end $$;
  create trigger guard_new before insert on access_record for each row when (new.state not in ('ACTIVE', 'EXPIRED') or new.version <> 1)
    execute function forbid_new_access_record()`;

/** Links can be dropped, never made or moved; other content is a new version, and a version is never skipped. */
const GUARD_CHANGES = `
  create function guard_access_record() returns trigger language plpgsql as $$
    begin
      if (new.id, new.key_hash, new.key_sealed, new.duid, new.created_at)
          is distinct from (old.id, old.key_hash, old.key_sealed, old.duid, old.created_at) then
        raise exception 'key, owner and creation of an access record are fixed' using errcode = 'restrict_violation';
      end if;
      if (new.identity_record_id is not null and new.identity_record_id is distinct from old.identity_record_id)
          or (new.identity_record_ref is not null and new.identity_record_ref is distinct from old.identity_record_ref)
          or (new.meter_point_id is not null and new.meter_point_id is distinct from old.meter_point_id) then
        raise exception 'the links of an access record are fixed' using errcode = 'restrict_violation';
      end if;
      if new.state <> old.state and (old.state, new.state) not in (('ACTIVE', 'REVOKED'), ('ACTIVE', 'EXPIRED'), ('DISCOVERED', 'EXPIRED')) then
        raise exception 'no transition from % to %', old.state, new.state using errcode = 'restrict_violation';
      end if;
      if new.version <> old.version + 1 and (new.version <> old.version or (new.document, new.legal_basis, new.registered_at, new.expiry)
          is distinct from (old.document, old.legal_basis, old.registered_at, old.expiry)) then
        raise exception 'other content is the next version of an access record' using errcode = 'restrict_violation';
      end if;
      if old.state in ('REVOKED', 'EXPIRED')
          and (new.document, new.legal_basis, new.registered_at, new.expiry, new.revoked_at, new.version)
            is distinct from (old.document, old.legal_basis, old.registered_at, old.expiry, old.revoked_at, old.version) then
        raise exception 'an access record that has ended is not rewritten' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  create trigger guard before update on access_record for each row execute function guard_access_record()`;

/** At commit: what a record says is what its history says. Lookups by primary key only: 30 µs of a registration. */
const GUARD_HISTORY = `
  create function guard_access_record_history() returns trigger language plpgsql as $$
    begin
      if not exists (
        select from access.access_record r
          join access.access_record_version v on v.record_id = r.id and v.version = r.version
        where r.id = new.id
          and (v.document, v.legal_basis, v.registered_at, v.expiry)
            is not distinct from (r.document, r.legal_basis, r.registered_at, r.expiry)
          and r.state = (select to_state from access.access_record_transition where record_id = r.id order by number desc limit 1)
      ) then
        raise exception 'an access record changes with its history only' using errcode = 'restrict_violation';
      end if;
      return null;
    end $$;
  create constraint trigger history after insert or update of version, state, legal_basis, registered_at, expiry, document
    on access_record deferrable initially deferred for each row execute function guard_access_record_history()`;

/** The register's clock alone says when something was recorded. */
