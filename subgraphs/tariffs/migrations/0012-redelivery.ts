import type { MigrationInterface, QueryRunner } from 'typeorm';
import { REDELIVER_FROM_FIRST_ATTEMPT } from '../../delivery/tables.sql';

/** A redelivery starts the schedule from its first attempt. A process of the previous release calls the same function. */
export class TariffRedelivery1790000000012 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = tariffs, register');
    await session.query(REDELIVER_FROM_FIRST_ATTEMPT);
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}
