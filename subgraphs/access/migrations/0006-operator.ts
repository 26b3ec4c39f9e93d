import { ForwardMigration } from '../../server/database/forward-migration';

/** What the communications operator tells: discovered access, how it is claimed, and changes of tenancy. */
export class Operator1790000000006 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    TENANCY_CHANGES,
    AFFECTED_RECORDS,
    DISCOVERED,
    GUARD_NEW,
    GUARD_CLAIM,
    CLAIMS,
    AWAIT_CLAIMANTS,
    CLAIM_BY_REGISTRATION,
  ];
}

/**
 * A Change of Tenancy as it was announced: how many ACTIVE records it affected, and whose. The meter point is not kept, since records of a
 * person who was anonymised lead here: `subject` is a keyed hash of it, the same for all changes of one meter point.
 */
const TENANCY_CHANGES = `
  create table tenancy_change (
    id uuid primary key,
    subject uuid not null,
    effective_date date not null,
    source_reference_sealed bytea not null,
    recorded_at timestamptz not null default register_now(),
    records_affected integer not null,
    duids text[] not null
  );
  create trigger append_only before update or delete or truncate on tenancy_change
    for each statement execute function forbid_change()`;

/**
 * Records of a person who is anonymised leave the events of the changes that affected them: a change leads to a meter point. Nothing else
 * of an event is ever rewritten.
 */
const AFFECTED_RECORDS = `
  create index event_affected_records on event using gin (record_ids) where type = 'tenancy.change';
  create function guard_event() returns trigger language plpgsql as $$
    begin
      if to_jsonb(new) - 'record_ids' <> to_jsonb(old) - 'record_ids' or (new.record_ids <@ old.record_ids) is not true then
        raise exception 'rows of event are append-only' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  drop trigger append_only on event;
  create trigger append_only before delete or truncate on event for each statement execute function forbid_change();
  create trigger only_without_records before update on event for each row execute function guard_event()`;

/**
 * A discovered access has no Data User, and so never becomes one that authorises the release of data. A meter point and organisation have
 * one at a time that is not claimed. Nothing refers to the record that supersedes it: a check of each registration would cost more.
 */
const DISCOVERED = `
  alter table access_record alter column duid drop not null,
    add column claimed_at timestamptz,
    add column superseded_by uuid,
    add constraint access_is_of_a_data_user check (
      duid is not null or (state in ('DISCOVERED', 'EXPIRED') and legal_basis is null and identity_record_id is null));
  create unique index access_record_discovered on access_record
    (meter_point_id, (document -> 'discoveredAccess' ->> 'organisationReference'))
    where state = 'DISCOVERED' and claimed_at is null;
  create index access_record_superseded_by on access_record (superseded_by) where superseded_by is not null`;

const GUARD_NEW = `
  drop trigger guard_new on access_record;
  create trigger guard_new before insert on access_record for each row
    when (new.version <> 1 or new.state = 'REVOKED' or new.claimed_at is not null or new.superseded_by is not null
      or (new.state = 'DISCOVERED') <> (new.duid is null) or (new.state = 'DISCOVERED' and new.meter_point_id is null))
    execute function forbid_new_access_record()`;

/** A claim is made once, on what is DISCOVERED, and with its history; by which record can be forgotten, never changed. */
const GUARD_CLAIM = `
  create function guard_claim() returns trigger language plpgsql as $$
    begin
      if (old.claimed_at is null and new.claimed_at is not null and new.superseded_by is not null and old.state = 'DISCOVERED'
            and new.state = 'DISCOVERED')
          or (new.claimed_at is not distinct from old.claimed_at and new.superseded_by is null) then
        return new;
      end if;
      raise exception 'what was discovered is claimed once' using errcode = 'restrict_violation';
    end $$;
  create trigger guard_claim before update of claimed_at, superseded_by on access_record for each row
    when ((new.claimed_at, new.superseded_by) is distinct from (old.claimed_at, old.superseded_by)) execute function guard_claim();
  create function guard_claim_history() returns trigger language plpgsql as $$
    begin
      if not exists (select from access.access_record_transition where record_id = new.id and cause = 'claimed') then
        raise exception 'an access record changes with its history only' using errcode = 'restrict_violation';
      end if;
      return null;
    end $$;
  create constraint trigger claim_history after update of claimed_at on access_record deferrable initially deferred for each row
    when (new.claimed_at is distinct from old.claimed_at) execute function guard_claim_history()`;

/**
 * Claims what was discovered of organisations that have an ACTIVE record at the same meter point: known by the reference or the name that
 * an admin has set on the account of the Data User (decisions A/B, 5). Neither is compared by its case or by its blanks:
 * those at its ends, and how many there are in between. Whoever claims several takes them in one order.
 */
const CLAIM = (signature: string, which: string) => `
  create function ${signature} returns integer language sql volatile as $$
    with match as (
      select distinct on (discovered.id) discovered.id, active.id as superseded_by, account_id
      from access.access_record discovered
        join access.access_record active on active.meter_point_id = discovered.meter_point_id and active.state = 'ACTIVE'
          and (active.expiry is null or active.expiry > register.register_now())
        join access.account on account.duid = active.duid
          and (access.as_compared(organisation_reference)
              = access.as_compared(discovered.document -> 'discoveredAccess' ->> 'organisationReference')
            or access.as_compared(display_name)
              = access.as_compared(discovered.document -> 'discoveredAccess' ->> 'organisationName'))
      where ${which} and discovered.state = 'DISCOVERED' and discovered.claimed_at is null
        and (discovered.expiry is null or discovered.expiry > register.register_now())
      order by discovered.id, active.created_at desc, active.id
    ),
    locked as materialized (
      select id from access.access_record where id in (select id from match) order by id for update
    ),
    claimed as (
      update access.access_record record set claimed_at = register.register_now(), superseded_by = match.superseded_by
      from match join locked using (id) where record.id = match.id and record.state = 'DISCOVERED' and record.claimed_at is null
      returning record.id, match.account_id
    ),
    told as (
      insert into access.access_record_transition (record_id, number, from_state, to_state, cause, account_id)
      select id, (select max(number) + 1 from access.access_record_transition where record_id = claimed.id),
        'DISCOVERED', 'DISCOVERED', 'claimed', account_id from claimed
    )
    select count(*)::integer from claimed $$`;

const CLAIMS = `
  create function lock_of_meter_point(id text) returns bigint language sql immutable as
    $$ select hashtextextended('meter point ' || id, 0) $$;
  create function as_compared(name text) returns text language sql immutable as
    $$ select lower(trim(regexp_replace(name, '\\s+', ' ', 'g'))) $$;
  ${CLAIM('claim_discovered_at(meter_point text)', 'discovered.meter_point_id = meter_point')};
  ${CLAIM('claim_discovered_at(meter_point text, claimant text)', 'discovered.meter_point_id = meter_point and active.duid = claimant')};
  ${CLAIM('claim_discovered_of(claimant text)', 'active.duid = claimant')}`;

/**
 * An admin who names an organisation holds its account meanwhile: a registration of it waits by its foreign key, a report at a meter point
 * where it has an ACTIVE record by this. Whoever comes second sees what the first has done. A report waits before it changes anything.
 */
const AWAIT_CLAIMANTS = `
  create function await_claimants_at(meter_point text) returns void language plpgsql as $$
    begin
      perform from access.account where duid in (
        select active.duid from access.access_record active where active.meter_point_id = meter_point and active.state = 'ACTIVE')
      order by account_id for key share;
    end $$`;

/**
 * A registration claims for its own Data User. Registrations at a meter point share a lock, a report of the operator has it alone. Whoever
 * comes second sees what the first has done, since each statement of the function looks anew: one of the two claims.
 */
const CLAIM_BY_REGISTRATION = `
  create function claim_by_registration() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(access.lock_of_meter_point(new.meter_point_id));
      if exists (select from access.access_record
          where meter_point_id = new.meter_point_id and state = 'DISCOVERED' and claimed_at is null) then
        perform access.claim_discovered_at(new.meter_point_id, new.duid);
      end if;
      return null;
    end $$;
  create trigger claims after insert on access_record for each row when (new.state = 'ACTIVE' and new.meter_point_id is not null)
    execute function claim_by_registration()`;
