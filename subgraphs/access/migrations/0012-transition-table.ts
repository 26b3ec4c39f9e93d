import { ForwardMigration } from '../../server/database/forward-migration';

/** The database accepts the transitions of the table of transitions only, whichever statement writes them. */
export class TransitionTable1790000000012 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', IN_TABLE];
}

/** Not validated: rows of earlier releases passed their guards, and a scan of all history would hold up registrations. */
const IN_TABLE = `
  alter table access_record_transition add constraint in_table_of_transitions check (
    (coalesce(from_state, ''), cause, to_state) in (
      ('', 'registered', 'ACTIVE'),
      ('', 'registered', 'EXPIRED'),
      ('ACTIVE', 'revoked', 'REVOKED'),
      ('ACTIVE', 'withdrawn', 'REVOKED'),
      ('ACTIVE', 'data-user-terminated', 'REVOKED'),
      ('ACTIVE', 'expired', 'EXPIRED'),
      ('ACTIVE', 'replaced', 'EXPIRED'),
      ('', 'discovered', 'DISCOVERED'),
      ('DISCOVERED', 'claimed', 'DISCOVERED'),
      ('DISCOVERED', 'expired', 'EXPIRED'))) not valid`;
