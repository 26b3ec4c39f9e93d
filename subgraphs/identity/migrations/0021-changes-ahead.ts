import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** Changes of Tenancy that were recorded while the clock was ahead, and the changes that were effective when a session started. */
export class ChangesAhead1790000000021 extends ForwardMigration {
  readonly statements = [
    'set local search_path = identity, register',
    'create index change_of_tenancy_recorded on change_of_tenancy (recorded_at)',
    GUARD,
    TEMPORARY_OBJECTS_LAST('identity'),
    CHANGES_OF_SESSION, // last: from here on, requests of customers wait for the commit
  ];
}

/** The days of the changes, `YYYY-MM-DD`; null in sessions of the previous release. */
const CHANGES_OF_SESSION = 'alter table customer_session add column changed_on text[]';

/** As before; besides, a time of recording that the clock has not reached is replaced by the present one. */
const GUARD = `
  create or replace function guard_change_of_tenancy() returns trigger language plpgsql as $$
    declare
      noted constant text[] := '{announced_at,records_affected,duids}';
      resealed constant text[] := '{sealed,key_id}';
    begin
      if old.key_id is null and new.key_id is not null and num_nulls(old.sealed, new.sealed) = 0
          and to_jsonb(new) - resealed = to_jsonb(old) - resealed then
        return new;
      end if;
      if old.recorded_at > register.register_now() and new.recorded_at = register.register_now()
          and to_jsonb(new) - 'recorded_at' = to_jsonb(old) - 'recorded_at' then
        return new;
      end if;
      if old.announced_at is not null or to_jsonb(new) - noted <> to_jsonb(old) - noted then
        raise exception 'a change of tenancy is not rewritten' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$`;
