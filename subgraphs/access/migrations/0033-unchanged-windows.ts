import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** A subscription that is saved with the same window and event types is not scanned from the start of its window again. */
export class UnchangedWindows1790000000033 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', WHOLE_WINDOW, TEMPORARY_OBJECTS_LAST('access')];
}

const WHOLE_WINDOW = `
  create or replace function look_at_whole_window() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and (new.notify_days_before, new.event_types) is not distinct from (old.notify_days_before, old.event_types) then
        return new;
      end if;
      new.expiring_through := null;
      return new;
    end $$`;
