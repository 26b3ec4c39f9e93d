import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A migration that executes statements in order and cannot be reverted. */
export abstract class ForwardMigration implements MigrationInterface {
  abstract readonly statements: readonly string[];

  async up(session: QueryRunner): Promise<void> {
    for (const statement of this.statements) await session.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}
