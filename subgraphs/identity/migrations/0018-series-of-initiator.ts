import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The series of the bearer token that initiated a re-identification: empty before the first revocation of the account's tokens, null in rows
 * of the previous release.
 */
export class SeriesOfInitiator1790000000018 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = identity, register');
    await session.query('alter table reidentification add column token_series text');
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}
