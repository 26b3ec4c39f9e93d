import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists of the records of a Data User in one state read no others. */
export class RecordsInState1790000000028 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = access, register');
    await session.query(RECORDS_IN_STATE);
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}

/** The columns of `access_record_count`, which migration 0030 drops, and those of the progress of a termination. Lists read it backwards. */
const RECORDS_IN_STATE = `
  create index access_record_in_state on access_record (duid, state, created_at, id) include (legal_basis, expiry, revoked_at)`;
