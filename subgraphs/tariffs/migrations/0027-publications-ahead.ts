import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/**
 * When a tariff or a version was published can be corrected once a clock that was ahead is set back: until it shows that time again, the
 * replacement of a tariff would not take effect. Whether an event was recorded before a change of status is decided by their transactions.
 */
export class TariffPublicationsAhead1790000000027 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    PUBLICATIONS,
    VERSIONS,
    INDEXES,
    ORDER_OF_TRANSITIONS,
    TEMPORARY_OBJECTS_LAST('tariffs'),
  ];
}

const PATH = 'set search_path = tariffs, register, pg_temp';

/** As in 0008, except that `published_at` is corrected. */
const PUBLICATIONS = `
  create or replace function guard_tariff() returns trigger language plpgsql ${PATH} as $$
    declare
      is_correction constant boolean := new.published_at <> old.published_at and is_corrected(old.published_at, new.published_at)
        and to_jsonb(new) - 'published_at' = to_jsonb(old) - 'published_at';
      corrected constant boolean := new.version = old.version + 1;
      is_moved constant boolean := (new.valid_to, new.sellable_to) is distinct from (old.valid_to, old.sellable_to);
      is_repriced constant boolean := new.tariff_type = 'dynamic' and new.last_modified > old.last_modified;
    begin
      if is_correction then return new; end if;
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

/** Of a version, only when it was published is corrected. */
const VERSIONS = `
  create function guard_tariff_version() returns trigger language plpgsql ${PATH} as $$
    begin
      if to_jsonb(new) - 'published_at' <> to_jsonb(old) - 'published_at' or not is_corrected(old.published_at, new.published_at) then
        raise exception 'rows of tariff_version are append-only' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  drop trigger append_only on tariff_version;
  create trigger append_only before delete or truncate on tariff_version for each statement execute function forbid_change();
  create trigger only_corrected before update on tariff_version for each row execute function guard_tariff_version()`;

/** Rows are inserted nearly in the order of these columns, so that few ranges of blocks have instants ahead. */
const INDEXES = `
  create index tariff_published on tariff using brin (published_at) with (autosummarize = on);
  create index tariff_version_published on tariff_version using brin (published_at) with (autosummarize = on)`;

/**
 * `next_tx`: every transaction that has an id before the row is inserted is before the change of status, with all its events. Null in the rows
 * of earlier releases, which only their instants order.
 */
const ORDER_OF_TRANSITIONS = `
  alter table entry_transition add column era bigint, add column next_tx xid8;
  alter table entry_transition alter column era set default event_era(),
    alter column next_tx set default pg_snapshot_xmax(pg_current_snapshot())`;
