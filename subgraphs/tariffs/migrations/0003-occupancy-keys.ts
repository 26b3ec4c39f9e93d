import { ForwardMigration } from '../../server/database/forward-migration';
import { CREATE_OCCUPANCY_KEYS, GUARD_OCCUPANCY_KEYS } from '../../server/occupancy-keys';
import { STEP_COUNTS_FROM, TARIFF_OCCUPANCIES } from '../occupancies/tariff-occupancies.sql';

/** MPxNs under a key per meter point and occupancy (2-decisions-a-b.md, section 12). */
export class TariffOccupancyKeys1790000000003 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    CREATE_OCCUPANCY_KEYS(TARIFF_OCCUPANCIES),
    OCCUPANCIES,
    MPXNS,
    EMPTIED_METER_POINTS,
    DUE,
    GUARD_OCCUPANCY_KEYS(TARIFF_OCCUPANCIES),
  ];
}

const PATH = 'set search_path = tariffs, register, pg_temp';
const ENDS = 'withdrawn_at is null and tariff_id is null';

/** From an end on, another occupant may live there: the rule of `consent_covers`. */
const OCCUPANCIES = `
  create function occupancy_began(hash bytea, at timestamptz) returns timestamptz language sql stable ${PATH} as $$
    select coalesce(max(${STEP_COUNTS_FROM}), '-infinity') from tariff_step
    where mpxn_hash = hash and ${ENDS} and ${STEP_COUNTS_FROM} <= at $$`;

/** No foreign key to the keys: they are backed up and restored apart. */
const MPXNS = `
  create table occupancy_mpxn (
    mpxn_hash bytea not null references meter_point,
    began timestamptz not null,
    key_id uuid not null,
    mpxn_sealed bytea not null,
    primary key (mpxn_hash, began)
  );
  create trigger never_removed before delete or truncate on occupancy_mpxn for each statement execute function forbid_change();
  create function guard_occupancy_mpxn() returns trigger language plpgsql ${PATH} as $$
    begin
      if exists (select from tariffs_keys.occupancy_key where id = old.key_id) or new.key_id = old.key_id
          or (new.mpxn_hash, new.began) is distinct from (old.mpxn_hash, old.began) then
        raise exception 'an MPxN is sealed anew only when its key is lost' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  create trigger not_rewritten before update on occupancy_mpxn for each row execute function guard_occupancy_mpxn()`;

/** An MPxN that the release before has sealed directly is given up once it is sealed for each of its occupancies; nothing else changes. */
const EMPTIED_METER_POINTS = `
  alter table meter_point alter column mpxn_sealed drop not null;
  create index meter_point_unsettled on meter_point (mpxn_hash) where mpxn_sealed is not null;
  drop trigger append_only on meter_point;
  create trigger never_removed before delete or truncate on meter_point for each statement execute function forbid_change();
  create function guard_meter_point() returns trigger language plpgsql ${PATH} as $$
    begin
      if new.mpxn_hash <> old.mpxn_hash or new.mpxn_sealed is not null then
        raise exception 'a meter point is not rewritten' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  create trigger not_rewritten before update on meter_point for each row execute function guard_meter_point()`;

/** A key is due 13 months after the end of its occupancy; where its erasure was asked for, from the end on. */
const DUE = `
  create function occupancy_key_is_due(of_key tariffs_keys.occupancy_key) returns boolean language sql stable ${PATH} as $$
    select exists (
      select from tariff_step
      where mpxn_hash = of_key.premises and ${ENDS} and ${STEP_COUNTS_FROM} > of_key.began
        and ${STEP_COUNTS_FROM} <= register_now() - case
          when exists (select from occupancy_erasure where key_id = of_key.id) then interval '0' else interval '13 months' end) $$`;
