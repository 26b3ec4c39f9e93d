import { ForwardMigration } from '../../server/database/forward-migration';

/** Identity Records that are closed before they are anonymised (decisions A/B, 4). */
export class DelayedAnonymising1790000000008 extends ForwardMigration {
  readonly statements = [
    'set local search_path = identity, register',
    'alter table identity_record add column closed_at timestamptz',
    GUARD,
  ];
}

/** As before; `closed_at` is set once: what a Data User was answered is not taken back. */
const GUARD = `
  create or replace function forbid_rewriting() returns trigger language plpgsql as $$
    declare changeable constant text[] := '{mpxn_index,email_index,meter_point_id,closing_at,closed_at,anonymised_at,is_verified}';
    begin
      if to_jsonb(new) - changeable <> to_jsonb(old) - changeable
        or new.mpxn_index <> old.mpxn_index or (new.mpxn_index is not null and old.mpxn_index is null)
        or new.email_index <> old.email_index or (new.email_index is not null and old.email_index is null)
        or new.meter_point_id <> old.meter_point_id or (new.meter_point_id is not null and old.meter_point_id is null)
        or (old.closing_at is not null and new.closing_at is not null and new.closing_at <> old.closing_at)
        or (old.closed_at is not null and new.closed_at is distinct from old.closed_at)
        or (old.is_verified is not null and new.is_verified is distinct from old.is_verified)
        or (old.anonymised_at is not null
          and (new.anonymised_at, new.closing_at) is distinct from (old.anonymised_at, old.closing_at))
      then raise exception 'an identity record is not rewritten' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$`;
