import { ForwardMigration } from '../../server/database/forward-migration';

/** Identity Records that were closed: nothing is linked to them any more. */
export class ClosedIdentityRecords1790000000004 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', CLOSED, REFUSE_CLOSED, REFUSE_REVIVAL];
}

const CLOSED = `
  create table closed_identity_link (
    identity_record_id uuid primary key,
    closed_at timestamptz not null default register_now()
  );
  create index closed_identity_link_time on closed_identity_link (closed_at);
  create trigger append_only before update or delete or truncate on closed_identity_link
    for each statement execute function forbid_change();
  create index access_record_of_identity_record on access_record (identity_record_id)`;

/**
 * A registration and a closing of one Identity Record come one after the other: registrations share a lock, a closing has it alone. Who
 * waited sees what the other did, since each statement of the function looks anew.
 */
const REFUSE_CLOSED = `
  create function lock_of_identity_record(id uuid) returns bigint language sql immutable as
    $$ select hashtextextended('identity record ' || id::text, 0) $$;
  create function refuse_closed_identity_record() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(access.lock_of_identity_record(new.identity_record_id));
      if exists (select from access.closed_identity_link where identity_record_id = new.identity_record_id) then
        raise exception 'the identity record is closed' using errcode = 'CD001';
      end if;
      return new;
    end $$;
  create trigger not_to_closed before insert on access_record for each row when (new.identity_record_id is not null)
    execute function refuse_closed_identity_record()`;

/**
 * A change that began before the expiry of a record and waited for the closing does not make it ACTIVE again: the row is locked before
 * the trigger looks, and a closing locks it before it closes.
 */
const REFUSE_REVIVAL = `
  create function refuse_revival() returns trigger language plpgsql as $$
    begin
      if exists (select from access.closed_identity_link where identity_record_id = old.identity_record_id) then
        raise exception 'the identity record is closed' using errcode = 'CD001';
      end if;
      return new;
    end $$;
  create trigger not_of_closed before update of expiry, state, version on access_record for each row
    when (new.state = 'ACTIVE' and new.expiry is distinct from old.expiry and old.identity_record_id is not null)
    execute function refuse_revival()`;
