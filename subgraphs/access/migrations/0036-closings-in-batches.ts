import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** The references, meter points and lookup counts of a closed Identity Record with tens of thousands of linked records are cleared in batches. */
export class ClosingsInBatches1790000000036 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    DESTROY_REFERENCES,
    GUARD_EVENT,
    TEMPORARY_OBJECTS_LAST('access'),
  ];
}

/**
 * Destroys the references of records where their Identity Record is closed. The insertion of a closed Identity Record does so for all its
 * records, unless its transaction has set `register.references_in_batches`.
 */
const DESTROY_REFERENCES = `
  create function destroy_references_of_records(records uuid[]) returns void language plpgsql security definer as $$
    begin
      perform from access.access_record where id = any (records) order by id for no key update;
      update access.access_record_version set document = document - 'controllerReference'
        where record_id = any (records) and document ->> 'controllerReference' is not null and reference_sealed is null
          and access.is_reference_forgotten(record_id, version);
      update access.access_record set document = document - 'controllerReference'
        where id = any (records) and document ->> 'controllerReference' is not null and reference_sealed is null
          and access.is_reference_forgotten(id, version);
      delete from access_keys.reference_key key
        where key.record_id = any (records) and access.is_reference_forgotten(key.record_id, key.version);
    end $$;
  create or replace function destroy_references(closed uuid[]) returns void language plpgsql security definer as $$
    begin
      perform access.destroy_references_of_records(array(
        select id from access.access_record where identity_record_id = any (closed)
        union select record_id from access.access_record_version where identity_record_id = any (closed)));
    end $$;
  create or replace function destroy_references_of_closed() returns trigger language plpgsql as $$
    begin
      if current_setting('register.references_in_batches', true) is distinct from 'on' then
        perform access.destroy_references(array[new.identity_record_id]);
      end if;
      return null;
    end $$`;

/** As before; the time for the comparison of the records grows with their number, not with its square. */
const GUARD_EVENT = `
  create or replace function guard_event() returns trigger language plpgsql as $$
    begin
      if to_jsonb(new) - 'record_ids' <> to_jsonb(old) - 'record_ids' or old.record_ids is null or new.record_ids is null
          or exists (select unnest(new.record_ids) except select unnest(old.record_ids)) then
        raise exception 'rows of event are append-only' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$`;
