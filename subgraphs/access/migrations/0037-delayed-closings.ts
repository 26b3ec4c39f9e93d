import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** No access record can be linked to an Identity Record whose closing ACTIVE records of other Data Users delay. */
export class DelayedClosings1790000000037 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    DELAYED,
    REJECT_LINK,
    TEMPORARY_OBJECTS_LAST('access'),
  ];
}

/** Identity Records whose closing was delayed. It is never undone, so rows remain when the closing ends. */
const DELAYED = `
  create table delayed_closing (
    identity_record_id uuid primary key,
    delayed_at timestamptz not null default register_now()
  );
  create trigger append_only before update or delete or truncate on delayed_closing
    for each statement execute function forbid_change()`;

/**
 * Rejects links to Identity Records that are closed, or whose closing is delayed: their registrations were admitted before it started. The function
 * runs as its owner, because the login of a running process of the previous release has no right to the table.
 */
const REJECT_LINK = `
  create or replace function refuse_closed_identity_record() returns trigger language plpgsql security definer as $$
    begin
      perform pg_advisory_xact_lock_shared(access.lock_of_identity_record(new.identity_record_id));
      if exists (select from access.closed_identity_link where identity_record_id = new.identity_record_id)
          or exists (select from access.delayed_closing where identity_record_id = new.identity_record_id) then
        raise exception 'the identity record is closed' using errcode = 'CD001';
      end if;
      return new;
    end $$`;
