import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts read `access_record_in_state`. A transaction of its own drops the former index: one that has built an index keeps the changes of
 * records waiting, and would deadlock with them when it drops another.
 */
export class ReplacedCountIndex1790000000030 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('drop index if exists access.access_record_count');
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}
