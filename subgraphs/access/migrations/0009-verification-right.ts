import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The right of a Data User to assert that it verified a customer's identity, which an admin can withdraw (decisions A/B, 11). */
export class VerificationRight1790000000009 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = access, register');
    await session.query(RIGHT);
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}

const RIGHT = `
  alter table account add column verification_withdrawn_at timestamptz,
    add constraint verification_of_data_users check (verification_withdrawn_at is null or role = 'data_user')`;
