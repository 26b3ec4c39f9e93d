import { ForwardMigration } from '../../server/database/forward-migration';
import { CREATE_RATE_LIMIT } from '../../server/database/released-sql';

/** The register of suppliers and RTI Users, tariffs with their versions, the tariff of an MPxN over time, performance reports. */
export class Tariffs1790000000001 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    FORBID,
    ENTRIES,
    TARIFFS,
    VERSIONS,
    LISTS,
    STEPS,
    REPORTS,
    CREATE_RATE_LIMIT,
  ];
}

const FORBID = `
  create function forbid_change() returns trigger language plpgsql as $$
    begin raise exception 'rows of % are append-only', tg_table_name using errcode = 'restrict_violation'; end $$`;

const STATUSES = "('active', 'suspended', 'disabled', 'removed')";

/** Entries of suppliers and RTI Users. Every change of a status is kept; \`contact_sealed\` is personal data. */
const ENTRIES = `
  create table supplier (
    mpid text collate "C" primary key check (mpid ~ '^[A-Z0-9]{4}$'),
    name text not null,
    display_name text not null,
    status text not null default 'active' check (status in ${STATUSES}),
    support text not null,
    api_url text not null,
    oauth_url text,
    issuer text,
    audience text,
    last_modified timestamptz not null default register_now(),
    constraint issuer_with_audience check (num_nulls(issuer, audience) in (0, 2))
  );
  create unique index supplier_issuer on supplier (issuer, audience) where status <> 'removed';
  create table rti_user (
    user_id text collate "C" primary key check (user_id ~ '^usr_[0-9a-f]{32}$'),
    name text not null,
    display_name text not null,
    status text not null default 'active' check (status in ${STATUSES}),
    support text not null,
    webhook_url text,
    contact_sealed bytea,
    last_modified timestamptz not null default register_now()
  );
  create table entry_transition (
    id bigint generated always as identity primary key,
    mpid text references supplier,
    user_id text references rti_user,
    from_status text not null check (from_status in ${STATUSES}),
    to_status text not null check (to_status in ${STATUSES}),
    at timestamptz not null default register_now(),
    account_id text not null,
    constraint of_one_entry check (num_nulls(mpid, user_id) = 1)
  );
  create index entry_transition_supplier on entry_transition (mpid, id) where mpid is not null;
  create index entry_transition_rti_user on entry_transition (user_id, id) where user_id is not null;
  create trigger append_only before update or delete or truncate on entry_transition for each statement execute function forbid_change()`;

/**
 * A tariff's prices and times never change: of its row, version and last_modified alone do. Long parts stand in tables of their own, so
 * that a list reads narrow rows.
 */
const TARIFFS = `
  create table tariff (
    tariff_id text collate "C" primary key check (tariff_id ~ '^trf_[0-9a-f]{32}$'),
    mpid text collate "C" not null references supplier,
    version integer not null default 1 check (version >= 1),
    tariff_type text collate "C" not null check (tariff_type in ('static', 'dynamic')),
    fuel_type text collate "C" not null check (fuel_type in ('electricity', 'gas')),
    energy_flow text collate "C" not null check (energy_flow in ('import', 'export')),
    payment_method text collate "C" not null check (payment_method in ('direct_debit', 'non_direct_debit', 'prepayment')),
    meter_type text collate "C" not null check (meter_type in ('single_rate', 'multi_rate', 'smart', 'prepayment')),
    customer_type text collate "C" not null check (customer_type in ('residential', 'business')),
    ldz_region text collate "C" not null
      check (ldz_region in ('SC', 'NO', 'NE', 'NWT', 'WMD', 'EM', 'EA', 'NT', 'SO', 'SE', 'WN', 'WW', 'SW')),
    standing_charge text not null check (standing_charge ~ '^\\d+\\.\\d{2,5}$'),
    vat_included boolean not null,
    vat_rate smallint check (vat_rate between 0 and 100),
    valid_from timestamptz not null,
    valid_to timestamptz,
    sellable_from timestamptz,
    sellable_to timestamptz,
    replaces text collate "C" constraint one_replacement unique references tariff,
    published_at timestamptz not null default register_now(),
    last_modified timestamptz not null default register_now(),
    constraint validity check (valid_to > valid_from),
    constraint sellability check (sellable_to > sellable_from),
    constraint vat_told check (vat_included or vat_rate is not null),
    constraint replaces_another check (replaces <> tariff_id)
  );
  create table tariff_rates (
    tariff_id text collate "C" primary key references tariff,
    rates jsonb not null check (jsonb_typeof(rates) = 'array')
  );
  create function guard_tariff() returns trigger language plpgsql set search_path = tariffs, pg_temp as $$
    begin
      if to_jsonb(new) - '{version,last_modified}'::text[] <> to_jsonb(old) - '{version,last_modified}'::text[]
          or new.version <> old.version + 1 then
        raise exception 'prices and times of a tariff never change' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  create trigger never_changed before update on tariff for each row execute function guard_tariff();
  create trigger never_removed before delete or truncate on tariff for each statement execute function forbid_change();
  create trigger append_only before update or delete or truncate on tariff_rates for each statement execute function forbid_change()`;

/** What is said of a tariff, in each of its versions; a tariff always has its present one. */
const VERSIONS = `
  create table tariff_version (
    tariff_id text collate "C" references tariff,
    version integer check (version >= 1),
    name text not null,
    description text,
    comments text,
    percentage_green double precision check (percentage_green between 0 and 100),
    published_at timestamptz not null default register_now(),
    account_id text not null,
    primary key (tariff_id, version)
  );
  alter table tariff add constraint present_version foreign key (tariff_id, version) references tariff_version
    deferrable initially deferred;
  create trigger append_only before update or delete or truncate on tariff_version for each statement execute function forbid_change()`;

/** What tariffs are filtered by, beside supplier and region: in every index, so that only what is shown is read of the table. */
const FILTERED = 'tariff_type, fuel_type, energy_flow, payment_method, meter_type, customer_type, valid_from, valid_to';

const LISTS = `
  create index tariff_newest on tariff (last_modified desc, tariff_id) include (mpid, ldz_region, ${FILTERED});
  create index tariff_newest_of_supplier on tariff (mpid, last_modified desc, tariff_id) include (ldz_region, ${FILTERED});
  create index tariff_newest_of_region on tariff (ldz_region, last_modified desc, tariff_id) include (mpid, ${FILTERED});
  create index tariff_newest_of_supplier_and_region on tariff (mpid, ldz_region, last_modified desc, tariff_id) include (${FILTERED})`;

/**
 * The tariff of an MPxN over time: from each step on, until the next one. A step without a tariff ends. One that is still in the future
 * may be withdrawn, whoever takes its place. MPxNs are sealed; \`mpxn_hash\` is their keyed hash.
 */
const STEPS = `
  create table meter_point (
    mpxn_hash bytea primary key check (octet_length(mpxn_hash) = 32),
    mpxn_sealed bytea not null
  );
  create trigger append_only before update or delete or truncate on meter_point for each statement execute function forbid_change();
  create table tariff_step (
    id uuid primary key default gen_random_uuid(),
    mpxn_hash bytea not null references meter_point,
    valid_from timestamptz not null,
    tariff_id text collate "C" references tariff,
    mpid text collate "C" not null references supplier,
    recorded_at timestamptz not null default register_now(),
    account_id text not null,
    withdrawn_at timestamptz
  );
  create unique index tariff_step_in_force on tariff_step (mpxn_hash, valid_from) where withdrawn_at is null;
  create index tariff_step_tariff on tariff_step (tariff_id, mpxn_hash) where withdrawn_at is null;
  create function guard_step() returns trigger language plpgsql set search_path = tariffs, register, pg_temp as $$
    begin
      if to_jsonb(new) - 'withdrawn_at' <> to_jsonb(old) - 'withdrawn_at' or old.withdrawn_at is not null
          or old.valid_from <= register_now() then
        raise exception 'steps that have begun never change' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  create trigger never_changed before update on tariff_step for each row execute function guard_step();
  create trigger never_removed before delete or truncate on tariff_step for each statement execute function forbid_change();
  create function lock_of_mpxn(hash bytea) returns bigint language sql immutable strict parallel safe return
    ('x' || encode(substr(hash, 1, 8), 'hex'))::bit(64)::bigint`;

/** One report of a supplier for a period: another one takes its place. */
const REPORTS = `
  create table performance_report (
    report_id uuid primary key default gen_random_uuid(),
    mpid text collate "C" not null references supplier,
    period_start timestamptz not null,
    period_end timestamptz not null check (period_end > period_start),
    total_requests bigint not null check (total_requests >= 0),
    notifications_issued bigint not null check (notifications_issued >= 0),
    availability_pct double precision not null check (availability_pct between 0 and 100),
    success_pct double precision not null check (success_pct between 0 and 100),
    p50 bigint not null check (p50 >= 0),
    p95 bigint not null check (p95 >= p50),
    p99 bigint not null check (p99 >= p95),
    received_at timestamptz not null default register_now(),
    unique (mpid, period_start, period_end)
  );
  create index performance_report_newest on performance_report (period_start desc, report_id desc);
  create index performance_report_newest_of_supplier on performance_report (mpid, period_start desc, report_id desc)`;
