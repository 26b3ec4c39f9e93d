import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The Data User for which the return URL of a session is registered; null without one, and in sessions of the previous release. */
export class SenderOfSession1790000000015 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = identity, register');
    await session.query(`alter table customer_session add column return_duid text`);
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}
