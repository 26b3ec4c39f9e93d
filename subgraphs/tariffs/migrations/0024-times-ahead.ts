import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/**
 * Instants that were recorded while the clock was ahead can be corrected once it is set back: until it shows them again, a consent would
 * receive no event, and the end of an assignment would end no consent, and later that of the next occupant. A consent stores its former
 * coverages. Scheduled changes that have ended can be deleted.
 */
export class TariffTimesAhead1790000000024 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    IS_CORRECTED,
    ASSIGNMENTS,
    INDEXES,
    ENDED_CHANGES,
    FORMER_COVERAGES, // from here on, readers of consents and events wait for the commit
    COVERAGES,
    RECEIVES,
    EVENTS,
    TEMPORARY_OBJECTS_LAST('tariffs'),
  ];
}

const PATH = 'set search_path = tariffs, register, pg_temp';

const IS_CORRECTED = `
  create function is_corrected(former timestamptz, new timestamptz) returns boolean language sql stable ${PATH} as $$
    select former is not distinct from new or coalesce(former > register_now() and new <= register_now(), false) $$`;

/** As in 0001, except that `recorded_at` is corrected. */
const ASSIGNMENTS = `
  create or replace function guard_step() returns trigger language plpgsql ${PATH} as $$
    declare
      is_correction constant boolean := new.recorded_at <> old.recorded_at and is_corrected(old.recorded_at, new.recorded_at)
        and to_jsonb(new) - 'recorded_at' = to_jsonb(old) - 'recorded_at';
    begin
      if not is_correction and (to_jsonb(new) - 'withdrawn_at' <> to_jsonb(old) - 'withdrawn_at' or old.withdrawn_at is not null
          or old.valid_from <= register_now()) then
        raise exception 'steps that have begun never change' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$`;

/** The starts of coverages between the first one, `added_at`, and the present one: the newest 20. */
const FORMER_COVERAGES = `alter table consent_meter_point add column former_coverage timestamptz[] not null default '{}'`;

/** As in 0002, except that both instants are corrected, and that coverages become former ones. */
const COVERAGES = `
  create or replace function guard_consent_meter_point() returns trigger language plpgsql ${PATH} as $$
    begin
      if (new.consent_id, new.mpxn_hash) <> (old.consent_id, old.mpxn_hash) or not is_corrected(old.added_at, new.added_at)
          or not new.former_coverage <@ (old.former_coverage || old.covered_at)
          or (new.covered_at < old.covered_at and not is_corrected(old.covered_at, new.covered_at)) then
        raise exception 'what a consent covers only grows' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$`;

/**
 * As in 0017, except that a consent receives the event of each end until which one of its coverages lasted, also between the first and the
 * present one.
 */
const RECEIVES = `
  create or replace function consent_receives(told event, point consent_meter_point) returns boolean language sql stable ${PATH} as $$
    select told.recorded_at >= point.covered_at and (told.ceased_at is null or told.type = 'supplier.change')
        and consent_covers(point.mpxn_hash, least(told.occurred_at - interval '1 microsecond', point.covered_at), told.mpid)
      or exists (
        select from unnest(array[point.added_at, point.covered_at] || point.former_coverage) covered
        where covered < told.ceased_at and not exists (
          select from tariff_step
          where mpxn_hash = point.mpxn_hash and greatest(valid_from, recorded_at) > covered
            and greatest(valid_from, recorded_at) < told.ceased_at
            and withdrawn_at is null and tariff_id is null and (mpid = told.mpid or ends_assignment(tariff_step)))) $$`;

/** Of an event, only when it took effect and when its tariff ceased to apply are corrected: in the order of the ends of assignments. */
const EVENTS = `
  create function guard_event() returns trigger language plpgsql ${PATH} as $$
    begin
      if to_jsonb(new) - '{occurred_at,ceased_at}'::text[] <> to_jsonb(old) - '{occurred_at,ceased_at}'::text[]
          or not is_corrected(old.occurred_at, new.occurred_at) or not is_corrected(old.ceased_at, new.ceased_at) then
        raise exception 'rows of event are append-only' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  drop trigger append_only on event;
  create trigger append_only before delete or truncate on event for each statement execute function forbid_change();
  create trigger only_corrected before update on event for each row execute function guard_event()`;

/**
 * The MPxNs of a consent are listed in the order of `added_at`. Rows are inserted in the order of the other columns, nearly, so that a few
 * ranges of blocks have instants ahead.
 */
const INDEXES = `
  create index consent_meter_point_added on consent_meter_point (consent_id, added_at, mpxn_hash);
  create index tariff_step_recorded on tariff_step using brin (recorded_at) with (autosummarize = on);
  create index consent_meter_point_covered on consent_meter_point using brin (covered_at) with (autosummarize = on);
  create index event_recorded on event using brin (recorded_at) with (autosummarize = on)`;

/**
 * Changes that are applied or cancelled can be deleted: to every statement, an assignment without a change is an applied one. One that waits
 * is never deleted, however old it is.
 */
const ENDED_CHANGES = `
  create index tariff_effect_done on tariff_effect (done_at) where done_at is not null;
  create index tariff_effect_cancelled on tariff_effect (cancelled_at) where cancelled_at is not null;
  create function guard_waiting_change() returns trigger language plpgsql ${PATH} as $$
    begin raise exception 'a change that waits is not deleted' using errcode = 'restrict_violation'; end $$;
  create trigger never_removed before delete on tariff_effect for each row
    when (old.done_at is null and old.cancelled_at is null) execute function guard_waiting_change()`;
