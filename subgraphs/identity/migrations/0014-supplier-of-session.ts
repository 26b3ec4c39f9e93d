import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The supplier that proved the customer of a session; null for other sign-ins, and in sessions of the previous release. */
export class SupplierOfSession1790000000014 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = identity, register');
    await session.query(`alter table customer_session add column mpid text`);
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}
