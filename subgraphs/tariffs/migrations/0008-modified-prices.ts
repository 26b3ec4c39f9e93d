import { ForwardMigration } from '../../server/database/forward-migration';

/** `last_modified` of a tariff changes with its appended prices, so that the filter "modified since" finds it (decisions C/D, D.2). */
export class TariffModifiedPrices1790000000008 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    REPRICED_TARIFFS,
    MODIFY_SPLIT_TARIFFS,
    MODIFY_REPRICED_TARIFFS,
  ];
}

/** As 0005; `last_modified` of a dynamic tariff may also grow alone, when prices are appended. */
const REPRICED_TARIFFS = `
  create or replace function guard_tariff() returns trigger language plpgsql set search_path = tariffs, register, pg_temp as $$
    declare
      corrected constant boolean := new.version = old.version + 1;
      is_moved constant boolean := (new.valid_to, new.sellable_to) is distinct from (old.valid_to, old.sellable_to);
      is_repriced constant boolean := new.tariff_type = 'dynamic' and new.last_modified > old.last_modified;
    begin
      if to_jsonb(new) - '{version,last_modified,valid_to,sellable_to}'::text[]
          <> to_jsonb(old) - '{version,last_modified,valid_to,sellable_to}'::text[]
          or not corrected and not ((is_moved or is_repriced) and new.version = old.version) then
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
 * Tariffs whose windows 0006 has split at midnight: two successive windows of the same rate, up to midnight and from it. One that was
 * published in that form is read once more by those who follow changes; it has not changed.
 */
export const MODIFY_SPLIT_TARIFFS = `
  alter table tariff disable trigger never_changed;
  update tariff set last_modified = register_now() where tariff_id in (
    select tariff_id from tariff_rates, jsonb_array_elements(rates) entry, jsonb_array_elements(entry -> 'daysAndHours') days,
      jsonb_array_elements(days -> 'hours') with ordinality morning(hours, position)
    where hours ->> 'validFrom' = '00:00:00' and hours ->> 'validTo' <> '00:00:00'
      and days -> 'hours' -> position::int ->> 'validTo' = '00:00:00'
      and days -> 'hours' -> position::int -> 'rate' = hours -> 'rate');
  alter table tariff enable trigger never_changed`;

const MODIFY_REPRICED_TARIFFS = `
  update tariff set last_modified = recorded.at
  from (select tariff_id, max(recorded_at) as at from tariff_price group by tariff_id) recorded
  where recorded.tariff_id = tariff.tariff_id and recorded.at > tariff.last_modified`;
