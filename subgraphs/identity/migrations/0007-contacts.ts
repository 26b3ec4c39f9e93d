import { ForwardMigration } from '../../server/database/forward-migration';

/** Verified records known without opening them, when occupancies begin, and the contacts of customers (decisions A/B, 11). */
export class Contacts1790000000007 extends ForwardMigration {
  readonly statements = [
    'set local search_path = identity, register',
    RECORDS,
    GUARD,
    OCCUPANCIES,
    CONTACTS,
    PROOFS_UNDER_WAY,
    COUNTS,
  ];
}

/**
 * `is_verified` repeats what is sealed, so that selections filter by it; null in rows of the release before until a service has opened
 * them. `is_legacy` marks the records of consents of Interface B, which do not count against the limit of a Data User.
 */
const RECORDS = `
  alter table identity_record add column is_verified boolean, add column is_legacy boolean not null default false;
  create index identity_record_unsettled on identity_record (created_at) where is_verified is null and anonymised_at is null`;

/** As before; `is_verified` is set once. */
const GUARD = `
  create or replace function forbid_rewriting() returns trigger language plpgsql as $$
    declare changeable constant text[] := '{mpxn_index,email_index,meter_point_id,closing_at,anonymised_at,is_verified}';
    begin
      if to_jsonb(new) - changeable <> to_jsonb(old) - changeable
        or new.mpxn_index <> old.mpxn_index or (new.mpxn_index is not null and old.mpxn_index is null)
        or new.email_index <> old.email_index or (new.email_index is not null and old.email_index is null)
        or new.meter_point_id <> old.meter_point_id or (new.meter_point_id is not null and old.meter_point_id is null)
        or (old.closing_at is not null and new.closing_at is not null and new.closing_at <> old.closing_at)
        or (old.is_verified is not null and new.is_verified is distinct from old.is_verified)
        or (old.anonymised_at is not null
          and (new.anonymised_at, new.closing_at) is distinct from (old.anonymised_at, old.closing_at))
      then raise exception 'an identity record is not rewritten' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$`;

/**
 * The one place that says when an occupancy begins: when its day begins in Great Britain, or when the change of that day was first
 * recorded, if that was later. Until then the register took the former occupant for the present one. Rounded up to milliseconds, which
 * is all that a Date of JavaScript holds.
 */
const OCCUPANCIES = `
  create function occupancy_begins(effective_date date, recorded_at timestamptz) returns timestamptz language sql stable as $$
    select greatest(effective_date::timestamp at time zone 'Europe/London',
      date_trunc('milliseconds', recorded_at + interval '999 microseconds'))
  $$`;

/**
 * A contact is an e-mail address (its blind index) or a passkey (its keyed hash). What was proven or judged holds in one tenancy of a
 * meter point: the day of the Change of Tenancy that began it, empty for the one before the first.
 */
const CONTACTS = `
  create table contact_proof (
    mpxn_index bytea not null check (octet_length(mpxn_index) = 32),
    tenancy text not null,
    one bytea not null,
    other bytea not null,
    proven_at timestamptz not null default register_now(),
    primary key (mpxn_index, tenancy, one, other),
    check (one < other)
  );
  create table contact_verdict (
    mpxn_index bytea not null check (octet_length(mpxn_index) = 32),
    tenancy text not null,
    contact bytea not null,
    verdict text not null check (verdict in ('confirmed', 'rejected')),
    judged_at timestamptz not null default register_now(),
    primary key (mpxn_index, tenancy, contact)
  );
  create table contact_contest (
    mpxn_index bytea not null check (octet_length(mpxn_index) = 32),
    tenancy text not null,
    contact bytea not null,
    duid text not null,
    noticed_at timestamptz not null default register_now(),
    primary key (mpxn_index, tenancy, contact)
  )`;

/** By which contact a customer signed in; links by which a second one is proven in the same session; what a ceremony has proven. */
const PROOFS_UNDER_WAY = `
  alter table customer_session add column contact bytea;
  alter table ceremony add column proven_by bytea;
  create table contact_link (
    secret_hash bytea primary key check (octet_length(secret_hash) = 32),
    session_id uuid not null references customer_session on delete cascade,
    contact bytea not null,
    expires_at timestamptz not null default (register_now() + interval '10 minutes'),
    used_at timestamptz
  );
  create index contact_link_session on contact_link (session_id);
  create index contact_link_expiry on contact_link (expires_at)`;

/** Counted in slots, so that the registrations of a Data User do not wait for each other. */
const COUNTS = `
  create table contact_count (
    duid text not null,
    day date not null,
    kind text not null check (kind in ('asserted', 'contest', 'rejection')),
    slot smallint not null,
    count integer not null check (count > 0),
    primary key (duid, day, kind, slot)
  ) with (fillfactor = 70);
  create index contact_count_day on contact_count (day)`;
