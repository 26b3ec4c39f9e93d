import type { MigrationInterface, QueryRunner } from 'typeorm';
import { REDELIVER_AFTER_LOCKING_ENDPOINT } from '../../delivery/tables.sql';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** Redeliveries lock an endpoint before its deliveries, as the fan-out does. A process of the previous release calls the same function. */
export class TariffEndpointsLockedFirst1790000000020 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = tariffs, register');
    await session.query(REDELIVER_AFTER_LOCKING_ENDPOINT);
    await session.query(TEMPORARY_OBJECTS_LAST('tariffs'));
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}
