import { ForwardMigration } from '../../server/database/forward-migration';

/**
 * Windows that run on past midnight, the period of tiers, appended prices of dynamic tariffs, and filters by sale (decisions C/D, D.2).
 */
export class TariffReading1790000000006 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    SPLIT_WRAPPED_WINDOWS,
    TIER_PERIOD,
    APPENDED_PRICES,
    LISTS,
  ];
}

const SPLIT_HOURS = `(select jsonb_agg(part order by position, number)
    from jsonb_array_elements(days -> 'hours') with ordinality hour(hours, position),
      lateral (
        select 1 as number, hours || jsonb_build_object('validFrom', '00:00:00') as part where is_wrapped(hours)
        union all
        select 2, case when is_wrapped(hours) then hours || jsonb_build_object('validTo', '00:00:00') else hours end
      ) halves)`;

/**
 * A window that did not end after its start wrapped past midnight within its own day. Now it runs on into the next day. Splits the stored
 * ones at midnight, so that every price stays what it was. A tariff with the same windows on all days keeps its form: both meanings agree.
 */
export const SPLIT_WRAPPED_WINDOWS = `
  create function is_wrapped(hours jsonb) returns boolean language sql immutable return
    hours ->> 'validTo' collate "C" <= hours ->> 'validFrom' collate "C" and hours ->> 'validTo' <> '00:00:00';
  alter table tariff_rates disable trigger append_only;
  update tariff_rates set rates = (
      select jsonb_agg(entry || jsonb_build_object('daysAndHours', (
          select jsonb_agg(days || jsonb_build_object('hours', ${SPLIT_HOURS}) order by number)
          from jsonb_array_elements(entry -> 'daysAndHours') with ordinality groups(days, number)
        )) order by number)
      from jsonb_array_elements(rates) with ordinality entries(entry, number))
    where exists (
        select from jsonb_array_elements(rates) entry, jsonb_array_elements(entry -> 'daysAndHours') days,
          jsonb_array_elements(days -> 'hours') hours
        where is_wrapped(hours))
      and not (jsonb_array_length(rates) = 1 and rates #> '{0,months}' = '["All"]' and coalesce(rates #> '{0,dates}', 'null') = 'null'
        and rates #> '{0,daysAndHours,0,days}' = '["All"]');
  alter table tariff_rates enable trigger append_only;
  drop function is_wrapped(jsonb)`;

const TIER_PERIOD = `
  alter table tariff add tier_period text collate "C" not null default 'day' check (tier_period in ('day', 'month', 'year'))`;

/** Prices of half-hours of dynamic tariffs; one never changes once its half-hour has begun, and none is given for the past. */
const APPENDED_PRICES = `
  create table tariff_price (
    tariff_id text collate "C" not null references tariff,
    valid_from timestamptz not null check (extract(epoch from valid_from)::bigint % 1800 = 0 and date_trunc('second', valid_from) = valid_from),
    unit_price text not null check (unit_price ~ '^\\d+\\.\\d{2,5}$'),
    recorded_at timestamptz not null default register_now(),
    account_id text not null,
    primary key (tariff_id, valid_from)
  );
  create function guard_price() returns trigger language plpgsql set search_path = tariffs, register, pg_temp as $$
    begin
      if new.valid_from <= register_now() or (new.tariff_id, new.valid_from) is distinct from (old.tariff_id, old.valid_from) and tg_op = 'UPDATE' then
        raise exception 'prices of half-hours that have begun never change' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  create trigger not_begun before insert or update on tariff_price for each row execute function guard_price();
  create trigger never_removed before delete or truncate on tariff_price for each statement execute function forbid_change()`;

/** The columns of 0001 by which tariffs are filtered, and those of their sale. */
const FILTERED = `tariff_type, fuel_type, energy_flow, payment_method, meter_type, customer_type, valid_from, valid_to, sellable_from,
    sellable_to`;

const LISTS = `
  drop index tariff_newest, tariff_newest_of_supplier, tariff_newest_of_region, tariff_newest_of_supplier_and_region;
  create index tariff_newest on tariff (last_modified desc, tariff_id) include (mpid, ldz_region, ${FILTERED});
  create index tariff_newest_of_supplier on tariff (mpid, last_modified desc, tariff_id) include (ldz_region, ${FILTERED});
  create index tariff_newest_of_region on tariff (ldz_region, last_modified desc, tariff_id) include (mpid, ${FILTERED});
  create index tariff_newest_of_supplier_and_region on tariff (mpid, ldz_region, last_modified desc, tariff_id) include (${FILTERED})`;
