import { ForwardMigration } from '../../server/database/forward-migration';

/** Consents that came through Interface B: they are marked, and they alone may be linked to another Identity Record. */
export class LegacyConsents1790000000007 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    MARK,
    RESTS_ON,
    GUARD_CHANGES,
    GUARD_HISTORY,
    NOT_MOVED_TO_CLOSED,
  ];
}

/** What says so is this column alone: of the content, clients of Interface A may write anything. */
const MARK = 'alter table access_record add column is_legacy boolean not null default false';

/**
 * Which Identity Record a version of what came through Interface B rests on; null: none is told, it is that of the version before. The id
 * is random and says nothing by itself, so that it stays, as all history does, also when the Identity Record is closed or anonymised.
 */
const RESTS_ON = `
  alter table access_record_version add column identity_record_id uuid;
  create index access_record_version_identity_record on access_record_version (identity_record_id) where identity_record_id is not null`;

/**
 * As before, and two things more: what came through Interface B did so for ever; and a new version of it may be linked to another Identity
 * Record of the same meter point, when the customer's move-in date or address was corrected. Every other link can be dropped only.
 */
const GUARD_CHANGES = `
  create or replace function guard_access_record() returns trigger language plpgsql as $$
    declare
      moves constant boolean := new.is_legacy and new.version = old.version + 1 and new.identity_record_id is not null
        and new.identity_record_ref is not null and new.meter_point_id is not null and new.meter_point_id = old.meter_point_id;
    begin
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
      if new.version <> old.version + 1 and (new.version <> old.version or (new.document, new.legal_basis, new.registered_at, new.expiry)
          is distinct from (old.document, old.legal_basis, old.registered_at, old.expiry)) then
        raise exception 'other content is the next version of an access record' using errcode = 'restrict_violation';
      end if;
      if old.state in ('REVOKED', 'EXPIRED')
          and (new.document, new.legal_basis, new.registered_at, new.expiry, new.revoked_at, new.version)
            is distinct from (old.document, old.legal_basis, old.registered_at, old.expiry, old.revoked_at, old.version) then
        raise exception 'an access record that has ended is not rewritten' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$`;

/** As before, at commit; and a version that tells its Identity Record tells the one that the record is linked to. */
const GUARD_HISTORY = `
  create or replace function guard_access_record_history() returns trigger language plpgsql as $$
    begin
      if not exists (
        select from access.access_record r
          join access.access_record_version v on v.record_id = r.id and v.version = r.version
        where r.id = new.id
          and (v.document, v.legal_basis, v.registered_at, v.expiry)
            is not distinct from (r.document, r.legal_basis, r.registered_at, r.expiry)
          and (v.identity_record_id is null or v.identity_record_id = r.identity_record_id)
          and r.state = (select to_state from access.access_record_transition where record_id = r.id order by number desc limit 1)
      ) then
        raise exception 'an access record changes with its history only' using errcode = 'restrict_violation';
      end if;
      return null;
    end $$`;

/** Whether a record is linked when it is made or later: never to a closed Identity Record, one after the other with its closing. */
const NOT_MOVED_TO_CLOSED = `
  create trigger not_moved_to_closed before update of identity_record_id on access_record for each row
    when (new.identity_record_id is not null and new.identity_record_id is distinct from old.identity_record_id)
    execute function refuse_closed_identity_record()`;
