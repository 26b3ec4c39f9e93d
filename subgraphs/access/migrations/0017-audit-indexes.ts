import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes by which the audit is filtered by action and by actor, newest first. */
export class AccessAuditIndexes1790000000017 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = access, register');
    await session.query(INDEXES);
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}

const INDEXES = `
  create index audit_entry_of_action on audit_entry (action, id);
  create index audit_entry_of_actor on audit_entry (actor, id)`;
