import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The database accepts the transitions of the table of transitions only, whichever statement writes them. */
export class TransitionTable1790000000012 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = access, register');
    await session.query(IN_TABLE);
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
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
