import { ForwardMigration } from '../../server/database/forward-migration';

/** References of Data Users to their customers, each version under a data key that anonymising destroys (decisions A/B, 12). */
export class SealedReferences1790000000011 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    KEYS,
    COLUMNS,
    KEY_OF_VERSION,
    FORGOTTEN,
    GUARD_KEYS,
    GUARD_CHANGES,
    GUARD_HISTORY,
    GUARD_VERSIONS,
    NO_VERSION_OF_CLOSED,
    DESTROY,
    SEAL,
  ];
}

/** No foreign key between the two schemas: they are backed up and restored apart. Autovacuum removes destroyed keys from the file at its next turn. */
const KEYS = `
  create schema access_keys;
  create table access_keys.reference_key (
    record_id uuid not null,
    version integer not null,
    wrapped bytea not null,
    primary key (record_id, version)
  ) with (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0)`;

/** The release before stored references in clear, as `controllerReference` of the document: the index holds the versions that still do. */
const COLUMNS = `
  alter table access_record add column reference_sealed bytea;
  alter table access_record_version add column reference_sealed bytea;
  alter table access_record_version set (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0);
  create index access_record_version_in_clear on access_record_version (record_id, version)
    where document ->> 'controllerReference' is not null`;

/** A function that is not inlined: a statement opens the table of keys only for a version that has a reference. */
const KEY_OF_VERSION = `
  create function wrapped_reference_key(record uuid, number integer) returns bytea language plpgsql stable as $$
    begin
      return (select wrapped from access_keys.reference_key where record_id = record and version = number);
    end $$`;

/**
 * Whether the reference of a version must be unreadable: the Identity Record is closed to which its access record is linked, or on which
 * the version rests. A consent of Interface B may have moved on from a closed one: its former versions rest on that. A version without
 * an Identity Record rests on that of the version before.
 */
const FORGOTTEN = `
  create function is_reference_forgotten(record uuid, number integer) returns boolean language sql stable as $$
    select exists (select from access.closed_identity_link where identity_record_id in (
      (select identity_record_id from access.access_record where id = record),
      (select identity_record_id from access.access_record_version
        where record_id = record and version <= number and identity_record_id is not null order by version desc limit 1)))
  $$`;

/** A data key cannot be made again: it is deleted with its Identity Record only. A key without a version, as a restore leaves it, opens nothing. */
const GUARD_KEYS = `
  create function forbid_destroying_reference() returns trigger language plpgsql as $$
    begin
      if not access.is_reference_forgotten(old.record_id, old.version) and exists (
          select from access.access_record_version
          where record_id = old.record_id and version = old.version and reference_sealed is not null) then
        raise exception 'the data key of a live reference is not destroyed' using errcode = 'restrict_violation';
      end if;
      return old;
    end $$;
  create trigger not_of_the_living before delete on access_keys.reference_key
    for each row execute function forbid_destroying_reference();
  create trigger not_rewritten before update or truncate on access_keys.reference_key
    for each statement execute function forbid_change()`;

/**
 * As before, with the sealed reference as content. Two things more: a new version by a replica of the release before has its reference in
 * the document, so that the sealed one of the version before is dropped; and a reference in clear may be sealed, or removed once it must be
 * unreadable, which counts as no change.
 */
const GUARD_CHANGES = `
  create or replace function guard_access_record() returns trigger language plpgsql as $$
    declare
      moves constant boolean := new.is_legacy and new.version = old.version + 1 and new.identity_record_id is not null
        and new.identity_record_ref is not null and new.meter_point_id is not null and new.meter_point_id = old.meter_point_id;
    begin
      if new.version = old.version + 1 and new.document ? 'controllerReference' then
        new.reference_sealed := null;
      end if;
      if new.version = old.version and old.document ->> 'controllerReference' is not null and old.reference_sealed is null
          and new.document = old.document - 'controllerReference'
          and (new.reference_sealed is not null or access.is_reference_forgotten(old.id, old.version)) then
        old.document := new.document;
        old.reference_sealed := new.reference_sealed;
      end if;
      if (new.id, new.key_hash, new.key_sealed, new.duid, new.created_at, new.is_legacy)
          is distinct from (old.id, old.key_hash, old.key_sealed, old.duid, old.created_at, old.is_legacy) then
        raise exception 'key, owner and creation of an access record are fixed' using errcode = 'restrict_violation';
      end if;
      if ((new.identity_record_id is not null and new.identity_record_id is distinct from old.identity_record_id)
          or (new.identity_record_ref is not null and new.identity_record_ref is distinct from old.identity_record_ref)
          or (new.meter_point_id is not null and new.meter_point_id is distinct from old.meter_point_id)) and moves is not true then
        raise exception 'the links of an access record are fixed' using errcode = 'restrict_violation';
      end if;
      if new.state <> old.state and (old.state, new.state) not in (('ACTIVE', 'REVOKED'), ('ACTIVE', 'EXPIRED'), ('DISCOVERED', 'EXPIRED')) then
        raise exception 'no transition from % to %', old.state, new.state using errcode = 'restrict_violation';
      end if;
      if new.version <> old.version + 1 and (new.version <> old.version
          or (new.document, new.reference_sealed, new.legal_basis, new.registered_at, new.expiry)
            is distinct from (old.document, old.reference_sealed, old.legal_basis, old.registered_at, old.expiry)) then
        raise exception 'other content is the next version of an access record' using errcode = 'restrict_violation';
      end if;
      if old.state in ('REVOKED', 'EXPIRED')
          and (new.document, new.reference_sealed, new.legal_basis, new.registered_at, new.expiry, new.revoked_at, new.version)
            is distinct from (old.document, old.reference_sealed, old.legal_basis, old.registered_at, old.expiry, old.revoked_at, old.version) then
        raise exception 'an access record that has ended is not rewritten' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$`;

/** As before, at commit, with the sealed reference as content. */
const GUARD_HISTORY = `
  create or replace function guard_access_record_history() returns trigger language plpgsql as $$
    begin
      if not exists (
        select from access.access_record r
          join access.access_record_version v on v.record_id = r.id and v.version = r.version
        where r.id = new.id
          and (v.document, v.reference_sealed, v.legal_basis, v.registered_at, v.expiry)
            is not distinct from (r.document, r.reference_sealed, r.legal_basis, r.registered_at, r.expiry)
          and (v.identity_record_id is null or v.identity_record_id = r.identity_record_id)
          and r.state = (select to_state from access.access_record_transition where record_id = r.id order by number desc limit 1)
      ) then
        raise exception 'an access record changes with its history only' using errcode = 'restrict_violation';
      end if;
      return null;
    end $$`;

/** Versions are only added to. The one change admitted takes a reference in clear out of the document: sealed, or because it must be unreadable. */
const GUARD_VERSIONS = `
  create function guard_access_record_version() returns trigger language plpgsql as $$
    declare reference constant text[] := '{document,reference_sealed}';
    begin
      if old.document ->> 'controllerReference' is null or old.reference_sealed is not null
          or new.document is distinct from old.document - 'controllerReference'
          or to_jsonb(new) - reference <> to_jsonb(old) - reference
          or (new.reference_sealed is null and not access.is_reference_forgotten(old.record_id, old.version)) then
        raise exception 'a version of an access record is not rewritten' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  drop trigger append_only on access_record_version;
  create trigger append_only before delete or truncate on access_record_version
    for each statement execute function forbid_change();
  create trigger only_sealed before update on access_record_version
    for each row execute function guard_access_record_version()`;

/** A replacement that waited for the closing of its Identity Record adds no version: its data key would never be destroyed. */
const NO_VERSION_OF_CLOSED = `
  drop trigger not_of_closed on access_record;
  create trigger not_of_closed before update of expiry, state, version on access_record for each row
    when (new.version <> old.version and old.identity_record_id is not null)
    execute function refuse_revival()`;

/**
 * Destroys the references of closed Identity Records: data keys, and what is still in clear. The database does so when one is closed,
 * whichever release closes it. The application may not change versions by itself, so both functions work as their owner.
 */
const DESTROY = `
  create function destroy_references(closed uuid[]) returns void language plpgsql security definer as $$
    declare records constant uuid[] := array(
      select id from access.access_record where identity_record_id = any (closed)
      union select record_id from access.access_record_version where identity_record_id = any (closed));
    begin
      perform from access.access_record where id = any (records) order by id for no key update;
      update access.access_record_version set document = document - 'controllerReference'
        where record_id = any (records) and document ->> 'controllerReference' is not null and reference_sealed is null
          and access.is_reference_forgotten(record_id, version);
      update access.access_record set document = document - 'controllerReference'
        where id = any (records) and document ->> 'controllerReference' is not null and reference_sealed is null
          and access.is_reference_forgotten(id, version);
      delete from access_keys.reference_key
        where record_id = any (records) and access.is_reference_forgotten(record_id, version);
    end $$;
  create function destroy_references_of_closed() returns trigger language plpgsql as $$
    begin
      perform access.destroy_references(array[new.identity_record_id]);
      return null;
    end $$;
  create trigger destroys_references after insert on closed_identity_link
    for each row execute function destroy_references_of_closed()`;

/** Seals references in clear, version and record by one statement; the caller holds the locks of the records. No key: the reference is removed. */
const SEAL = `
  create function seal_references(records uuid[], versions integer[], references_sealed bytea[], keys bytea[])
    returns void language sql security definer as $$
    with given as (
      select * from unnest(records, versions, references_sealed, keys) as given (record_id, version, sealed, wrapped)),
    settled as (
      update access.access_record_version v set document = v.document - 'controllerReference', reference_sealed = given.sealed
      from given where v.record_id = given.record_id and v.version = given.version
        and v.document ->> 'controllerReference' is not null and v.reference_sealed is null
      returning v.record_id, v.version, given.sealed, given.wrapped),
    key as (
      insert into access_keys.reference_key (record_id, version, wrapped)
      select record_id, version, wrapped from settled where wrapped is not null)
    update access.access_record r set document = r.document - 'controllerReference', reference_sealed = settled.sealed
    from settled where r.id = settled.record_id and r.version = settled.version
  $$`;
