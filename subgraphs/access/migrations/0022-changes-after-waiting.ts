import { ForwardMigration } from '../../server/database/forward-migration';

/** A change of an ACTIVE record that waited for the row lock counts at the instant of the lock, not at its arrival. */
export class ChangesAfterWaiting1790000000022 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    CLOCK,
    STILL_ACTIVE,
    TRANSITION_AT_LOCK,
    VERSION_AT_LOCK,
  ];
}

/** The register's clock at this call; `register_now()` is the clock at the arrival of the statement. */
const CLOCK = `
  create function clock_of_call() returns timestamptz language sql volatile as
    $$ select clock_timestamp() + (register.register_now() - statement_timestamp()) $$`;

/**
 * PostgreSQL locks the row before the trigger runs, but evaluates the conditions of the statement before it waits, and not again if the
 * holder of the lock rolled back. A record that ended meanwhile is skipped, so that the statement finds none, as if it had arrived later.
 * A replacement whose new expiry has passed meanwhile ends the access. The revocation of a terminated Data User's record is stored later, with the instant of the termination: it passes unchanged. The name
 * sorts after `not_of_closed`, which runs first.
 */
const STILL_ACTIVE = `
  create function reject_ended_at_lock() returns trigger language plpgsql as $$
    declare locked_at constant timestamptz := access.clock_of_call();
    begin
      if new.version = old.version and new.revoked_at <> register.register_now() then
        return new;
      end if;
      if old.expiry <= locked_at
          or exists (select from access.account where duid = old.duid and terminated_at is not null) then
        return null;
      end if;
      if new.state = 'ACTIVE' and new.expiry <= locked_at then
        new.state := 'EXPIRED';
      end if;
      if new.state = 'REVOKED' then
        new.revoked_at := locked_at;
      end if;
      return new;
    end $$;
  create trigger still_active before update of version, state on access_record for each row
    when (old.state = 'ACTIVE' and (new.version <> old.version or new.state = 'REVOKED'))
    execute function reject_ended_at_lock()`;

/** The transition has the instant of the change: that of the revocation, or for a replacement with a past expiry, the present one. */
const TRANSITION_AT_LOCK = `
  create function transition_at_lock() returns trigger language plpgsql as $$
    begin
      new.at := coalesce((select revoked_at from access.access_record where id = new.record_id), access.clock_of_call());
      return new;
    end $$;
  create trigger at_lock before insert on access_record_transition for each row
    when (new.cause in ('revoked', 'withdrawn', 'replaced')) execute function transition_at_lock()`;

/** A replacement is recorded when it has locked the record, not when it arrived. */
const VERSION_AT_LOCK = `
  create function version_at_lock() returns trigger language plpgsql as $$
    begin
      new.recorded_at := access.clock_of_call();
      return new;
    end $$;
  create trigger at_lock before insert on access_record_version for each row
    when (new.version > 1) execute function version_at_lock()`;
