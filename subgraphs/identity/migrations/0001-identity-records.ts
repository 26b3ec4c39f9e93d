import { ForwardMigration } from '../../server/database/forward-migration';
import { CREATE_IDEMPOTENCY_KEY, CREATE_RATE_LIMIT } from '../../server/database/released-sql';

/** Identity Records, their data keys apart from them, idempotency keys, rate limits. */
export class IdentityRecords1790000000001 extends ForwardMigration {
  readonly statements = [
    'set local search_path = identity, register',
    RECORDS,
    GUARDS,
    DATA_KEYS,
    CREATE_IDEMPOTENCY_KEY,
    CREATE_RATE_LIMIT,
  ];
}

const RECORDS = `
  create table identity_record (
    id uuid primary key,
    ref text not null unique check (ref ~ '^ir_[0-9a-f]{24}$'),
    duid text not null check (duid ~ '^duid_[0-9a-f]{24}$'),
    created_at timestamptz not null default register_now(),
    mpxn_index bytea check (octet_length(mpxn_index) = 32),
    email_index bytea check (octet_length(email_index) = 32),
    meter_point_id text,
    expressed_by text not null check (expressed_by in ('data-subject', 'authorised-representative')),
    form smallint not null,
    sealed bytea not null,
    anonymised_at timestamptz,
    check ((anonymised_at is null) = (mpxn_index is not null)),
    check ((anonymised_at is null) = (meter_point_id is not null)),
    check (anonymised_at is null or email_index is null)
  );
  create index identity_record_own_mpxn on identity_record (duid, mpxn_index);
  create index identity_record_mpxn on identity_record (mpxn_index);
  create index identity_record_own_email on identity_record (duid, email_index)`;

/** Blind indexes can be dropped, never be made to point elsewhere; anonymising is done once and never undone. */
const GUARDS = `
  create function forbid_rewriting() returns trigger language plpgsql as $$
    begin
      if to_jsonb(new) - '{mpxn_index,email_index,meter_point_id,anonymised_at}'::text[]
          <> to_jsonb(old) - '{mpxn_index,email_index,meter_point_id,anonymised_at}'::text[]
        or new.mpxn_index <> old.mpxn_index or (new.mpxn_index is not null and old.mpxn_index is null)
        or new.email_index <> old.email_index or (new.email_index is not null and old.email_index is null)
        or new.meter_point_id <> old.meter_point_id or (new.meter_point_id is not null and old.meter_point_id is null)
        or (old.anonymised_at is not null and new.anonymised_at is distinct from old.anonymised_at)
      then raise exception 'an identity record is not rewritten' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  create trigger not_rewritten before update on identity_record for each row execute function forbid_rewriting()`;

/** No foreign key between the two schemas: they are backed up and restored apart. */
const DATA_KEYS = `
  create schema identity_keys;
  create table identity_keys.data_key (
    record_id uuid primary key,
    wrapped bytea not null
  )`;
