import { ForwardMigration } from '../../server/database/forward-migration';

/** Identity Records that are closing: nothing is linked to them, nothing is sent to their persons any more. */
export class MailsAndClosing1790000000003 extends ForwardMigration {
  readonly statements = [
    'set local search_path = identity, register',
    CLOSING,
    GUARD,
    KEYS_OF_THE_LIVING,
    NOTHING_AFTERWARDS,
    CLEARED_AWAY,
    ANSWERS_ABOUT_RECORDS,
  ];
}

const CLOSING = `
  alter table identity_record add column closing_at timestamptz,
    add constraint anonymised_after_closing check (anonymised_at is null or closing_at is not null);
  create index identity_record_closing on identity_record (closing_at) where closing_at is not null and anonymised_at is null`;

/**
 * Blind indexes can be dropped, never be made to point elsewhere. Closing can be undone until the record is anonymised; anonymising is
 * done once and never undone.
 */
const GUARD = `
  create or replace function forbid_rewriting() returns trigger language plpgsql as $$
    declare changeable constant text[] := '{mpxn_index,email_index,meter_point_id,closing_at,anonymised_at}';
    begin
      if to_jsonb(new) - changeable <> to_jsonb(old) - changeable
        or new.mpxn_index <> old.mpxn_index or (new.mpxn_index is not null and old.mpxn_index is null)
        or new.email_index <> old.email_index or (new.email_index is not null and old.email_index is null)
        or new.meter_point_id <> old.meter_point_id or (new.meter_point_id is not null and old.meter_point_id is null)
        or (old.closing_at is not null and new.closing_at is not null and new.closing_at <> old.closing_at)
        or (old.anonymised_at is not null
          and (new.anonymised_at, new.closing_at) is distinct from (old.anonymised_at, old.closing_at))
      then raise exception 'an identity record is not rewritten' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$`;

/**
 * What would hang on a record that was anonymised a moment ago is not made. Who comes while it is being anonymised waits; a record of the
 * same statement is not there yet, and certainly not anonymised.
 */
const NOTHING_AFTERWARDS = `
  create function nothing_of_anonymised() returns trigger language plpgsql as $$
    begin
      perform from identity.identity_record where id = new.record_id for share;
      if exists (select from identity.identity_record where id = new.record_id and anonymised_at is not null) then return null; end if;
      return new;
    end $$;
  create trigger nothing_of_anonymised before insert on passkey for each row execute function nothing_of_anonymised();
  create trigger nothing_of_anonymised before insert on reidentification for each row execute function nothing_of_anonymised();
  create trigger nothing_of_anonymised before insert on identity_look for each row execute function nothing_of_anonymised()`;

/** A data key cannot be made again: it goes with its record only. */
const KEYS_OF_THE_LIVING = `
  create function forbid_destroying() returns trigger language plpgsql as $$
    begin
      if exists (select from identity.identity_record where id = old.record_id and anonymised_at is null)
      then raise exception 'the data key of a live identity record is not destroyed' using errcode = 'restrict_violation';
      end if;
      return old;
    end $$;
  create trigger not_of_the_living before delete on identity_keys.data_key for each row execute function forbid_destroying()`;

/** An answer that is kept for a repeat and tells of a person (to whom a mail was dispatched) goes with its record. */
const ANSWERS_ABOUT_RECORDS = `
  alter table idempotency_key add column record_id uuid;
  create index idempotency_key_record on idempotency_key (record_id) where record_id is not null`;

/** What was destroyed leaves the files of the tables at the next turn of autovacuum, however few rows they are. */
const CLEARED_AWAY = `
  alter table identity_keys.data_key set (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0);
  alter table identity_record set (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0)`;
