import { ForwardMigration } from '../../server/database/forward-migration';

/**
 * The end of an assignment counts only if the tariff of its supplier would continue, and may be at the instant at which the next assignment
 * starts. It always ends the consents at its own supplier. A process of the previous release still calls the former `consent_covers`.
 */
export class TariffEndsOfAssignments1790000000013 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    STEPS_OF_INSTANT,
    ENDS_ASSIGNMENT,
    COVERS,
    RECEIVES,
    OCCUPANCIES,
  ];
}

const PATH = 'set search_path = tariffs, register, pg_temp';
const COUNTS_FROM = 'greatest(valid_from, recorded_at)';
const ENDS = 'withdrawn_at is null and tariff_id is null and ends_assignment(tariff_step)';
/** SQL: an end of the supplier's own, or one that counts; only these end a consent at the supplier. */
const endsConsentAt = (supplier: string): string =>
  `withdrawn_at is null and tariff_id is null and (mpid = ${supplier} or ends_assignment(tariff_step))`;

/**
 * One assignment, and one end of each supplier, per instant. The assignment precedes the ends in the index: it applies from the instant on.
 */
const STEPS_OF_INSTANT = `
  create unique index tariff_step_of_instant
    on tariff_step (mpxn_hash, valid_from desc, (tariff_id is null), (case when tariff_id is null then mpid end))
    nulls not distinct where withdrawn_at is null;
  drop index tariff_step_in_force`;

/**
 * Whether the end of an assignment counts: unless the newest assignment at its instant is another supplier's. Assignments that are recorded
 * after the end took effect do not change that. `assignmentAt` of `assignments/applied-tariff.ts` states the same rule.
 */
const ENDS_ASSIGNMENT = `
  create function ends_assignment(step tariff_step) returns boolean language sql stable ${PATH} as $$
    select coalesce((
      select mpid = step.mpid from tariff_step
      where mpxn_hash = step.mpxn_hash and withdrawn_at is null and tariff_id is not null and valid_from <= step.valid_from
        and recorded_at <= greatest(step.valid_from, step.recorded_at)
      order by valid_from desc limit 1), true) $$`;

/**
 * Whether a consent that was granted at a supplier since an instant covers a meter point now. The supplier's own end always ends the coverage:
 * the supplier may assign the meter point to the next occupant later, even if another supplier's tariff applied at the end.
 */
const COVERS = `
  create function consent_covers(hash bytea, since timestamptz, supplier text) returns boolean language sql stable ${PATH} as $$
    select not exists (
      select from tariff_step
      where mpxn_hash = hash and ${COUNTS_FROM} > since and ${COUNTS_FROM} <= register_now() and ${endsConsentAt('supplier')}) $$`;

/** As in 0005, for the ends of `consent_covers`. */
const RECEIVES = `
  create or replace function consent_receives(told event, point consent_meter_point) returns boolean language sql stable ${PATH} as $$
    select consent_covers(point.mpxn_hash, point.covered_at, told.mpid) and (told.ceased_at is null or told.type = 'supplier.change')
      or exists (
        select from unnest(array[point.added_at, point.covered_at]) since
        where told.ceased_at > since and not exists (
          select from tariff_step
          where mpxn_hash = point.mpxn_hash and ${COUNTS_FROM} > since and ${COUNTS_FROM} < told.ceased_at and ${endsConsentAt('told.mpid')})) $$`;

/** As in 0003, for ends that count. */
const OCCUPANCIES = `
  create or replace function occupancy_began(hash bytea, at timestamptz) returns timestamptz language sql stable ${PATH} as $$
    select coalesce(max(${COUNTS_FROM}), '-infinity') from tariff_step
    where mpxn_hash = hash and ${COUNTS_FROM} <= at and ${ENDS} $$;
  create or replace function occupancy_key_is_due(of_key tariffs_keys.occupancy_key) returns boolean language sql stable ${PATH} as $$
    select exists (
      select from tariff_step
      where mpxn_hash = of_key.premises and ${COUNTS_FROM} > of_key.began
        and ${COUNTS_FROM} <= register_now() - case
          when exists (select from occupancy_erasure where key_id = of_key.id) then interval '0' else interval '13 months' end
        and ${ENDS}) $$`;
