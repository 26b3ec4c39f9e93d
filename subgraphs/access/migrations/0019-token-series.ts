import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The series of an account's bearer tokens; null until its first revocation. A token of another series is rejected. The previous release
 * writes null and issues tokens without a series, which are valid until the first revocation.
 */
export class TokenSeries1790000000019 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = access, register');
    await session.query('alter table account add column token_series uuid');
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}
