import { ForwardMigration } from '../../server/database/forward-migration';

/**
 * Events follow what applies (decisions C/D, D.3): a tariff applies from its `valid_from` to its `valid_to`, and an end without successor is
 * an event. The ends of a tariff can be moved (decisions C/D, D.2).
 */
export class TariffValidity1790000000005 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    CEASED,
    CHANGES,
    CHANGES_OF_VALIDITY,
    CHANGES_AHEAD,
    MOVABLE_ENDS,
    RECEIVES,
    RECEIVERS,
  ];
}

const PATH = 'set search_path = tariffs, register, pg_temp';

/**
 * `ceased_at`: since when the tariff of the supplier no longer applies. In `tariff_standing` it is null while the tariff applies; in
 * `event` it selects the receivers. The constraint is not checked for former rows, which a stricter one has checked.
 */
const CEASED = `
  alter table tariff_standing add column ceased_at timestamptz;
  alter table event add column ceased_at timestamptz;
  alter table event drop constraint of_tariff;
  alter table event add constraint of_tariff check (case type
    when 'tariff.change' then num_nonnulls(tariff_id, ceased_at) = 1
    when 'tariff.update' then tariff_id is not null and ceased_at is null
    when 'supplier.change' then tariff_id is null
    else num_nonnulls(tariff_id, ceased_at) = 0 end) not valid`;

/** Two more kinds: `validity`, when a tariff starts or ceases to be valid; `recheck` of one MPxN for an instant that has passed. */
const CHANGES = `
  alter table tariff_effect drop constraint tariff_effect_kind_check;
  alter table tariff_effect drop constraint of_its_kind;
  alter table tariff_effect add constraint of_its_kind check (case
    when kind = 'step' then num_nonnulls(step_id, mpxn_hash) = 2 and num_nonnulls(tariff_id, mpid, user_id, consent_id) = 0
    when kind = 'recheck' then mpxn_hash is not null and num_nonnulls(step_id, tariff_id, mpid, user_id, consent_id) = 0
    when kind in ('replacement', 'validity')
      then tariff_id is not null and num_nonnulls(step_id, mpxn_hash, mpid, user_id, consent_id) = 0
    when kind = 'supplier.removed' then mpid is not null and num_nonnulls(step_id, mpxn_hash, tariff_id, user_id, consent_id) = 0
    when kind = 'rti_user.removed' then user_id is not null and num_nonnulls(step_id, mpxn_hash, tariff_id, mpid, consent_id) = 0
    when kind = 'consent.revoked' then consent_id is not null and num_nonnulls(step_id, mpxn_hash, tariff_id, mpid, user_id) = 0
    else false end) not valid`;

/**
 * The change at a former end stays scheduled when the end moves: it finds that the tariff still applies, or ceased before. The start of a
 * tariff that replaces another one has a change already: its replacement.
 */
const CHANGES_OF_VALIDITY = `
  create function plan_validity_of_tariff() returns trigger language plpgsql ${PATH} as $$
    begin
      insert into tariff_effect (kind, due_at, tariff_id)
      select 'validity', bound, new.tariff_id
      from unnest(array[case when tg_op = 'INSERT' and new.replaces is null then new.valid_from end, new.valid_to]) bound
      where bound > register_now();
      return null;
    end $$;
  create trigger validity after insert on tariff for each row execute function plan_validity_of_tariff();
  create trigger validity_moved after update of valid_to on tariff for each row
    when (new.valid_to is distinct from old.valid_to) execute function plan_validity_of_tariff()`;

/** Schedules what lies ahead of the tariffs that are published already. */
const CHANGES_AHEAD = `
  insert into tariff_effect (kind, due_at, tariff_id)
  select 'validity', bound, tariff_id from tariff cross join lateral unnest(array[case when replaces is null then valid_from end, valid_to]) bound
  where bound > register_now() order by bound, tariff_id`;

/** Prices and other times never change. An end is set or moved, never removed, and neither from nor into the past. */
const MOVABLE_ENDS = `
  create or replace function guard_tariff() returns trigger language plpgsql ${PATH} as $$
    declare
      corrected constant boolean := new.version = old.version + 1;
      is_moved constant boolean := (new.valid_to, new.sellable_to) is distinct from (old.valid_to, old.sellable_to);
    begin
      if to_jsonb(new) - '{version,last_modified,valid_to,sellable_to}'::text[]
          <> to_jsonb(old) - '{version,last_modified,valid_to,sellable_to}'::text[]
          or not corrected and not (is_moved and new.version = old.version) then
        raise exception 'prices and times of a tariff never change' using errcode = 'restrict_violation';
      end if;
      if new.valid_to is distinct from old.valid_to
          and (new.valid_to is null or new.valid_to <= register_now() or old.valid_to <= register_now())
          or new.sellable_to is distinct from old.sellable_to
          and (new.sellable_to is null or new.sellable_to <= register_now() or old.sellable_to <= register_now()) then
        raise exception 'an end moves neither from nor into the past' using errcode = 'restrict_violation', constraint = 'tariff_end';
      end if;
      return new;
    end $$`;

/**
 * Whether a live consent receives an event about one of its meter points. It must cover the meter point now; for a tariff that ceased to
 * apply, it must have covered it until then, because the end of an assignment also ends the coverage. A consent that is granted again after
 * an end starts another coverage at `covered_at`; its first one started at `added_at`. A consent granted after the tariff ceased
 * receives the change of supplier only.
 */
const RECEIVES = `
  create function consent_receives(told event, point consent_meter_point) returns boolean language sql stable ${PATH} as $$
    select (told.ceased_at is null or told.type = 'supplier.change') and consent_covers(point.mpxn_hash, point.covered_at)
      or exists (
        select from unnest(array[point.added_at, point.covered_at]) since
        where since < told.ceased_at and not exists (
          select from tariff_step
          where mpxn_hash = point.mpxn_hash and withdrawn_at is null and tariff_id is null
            and greatest(valid_from, recorded_at) > since and greatest(valid_from, recorded_at) < told.ceased_at)) $$`;

/** As before, except that `consent_receives` decides whether the consent of an RTI User receives an event of an MPxN. */
const RECEIVERS = `
  create or replace function receivers_of(event text, only_endpoint uuid) returns setof uuid language sql stable ${PATH} as $$
    select webhook.id from event told join webhook using (mpid)
    where told.id = $1 and told.type = 'supplier.cessation' and deleted_at is null
    union
    select webhook.id from event told join tariff_consent consent on consent.id = told.consent_id
      join webhook on webhook.mpid = consent.mpid and webhook.user_id = consent.user_id
    where told.id = $1 and told.type = 'consent.revoked' and deleted_at is null
    union
    select webhook.id
    from event told join consent_meter_point point on point.mpxn_hash = told.mpxn_hash
      join tariff_consent consent on consent.id = point.consent_id and consent.mpid = told.mpid
      join rti_user on rti_user.user_id = consent.user_id
      join webhook on webhook.mpid = consent.mpid and webhook.user_id = consent.user_id
    where told.id = $1 and told.type in ('tariff.change', 'tariff.update', 'supplier.change')
      and revoked_at is null and consent_receives(told, point)
      and status in ('active', 'suspended') and deleted_at is null
    order by 1 $$`;
