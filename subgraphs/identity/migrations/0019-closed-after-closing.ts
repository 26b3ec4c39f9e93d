import { ForwardMigration } from '../../server/database/forward-migration';

/** A closed record is also closing: the job that anonymises it searches for closing records. */
export class ClosedAfterClosing1790000000019 extends ForwardMigration {
  readonly statements = ['set local search_path = identity, register', REPAIR, CHECK];
}

const REPAIR =
  'update identity_record set closing_at = closed_at where closed_at is not null and closing_at is null and anonymised_at is null';

/** Without a check of the present rows, which would lock the table for as long as it is read. */
const CHECK = `
  alter table identity_record add constraint closed_after_closing check (closed_at is null or closing_at is not null) not valid`;
