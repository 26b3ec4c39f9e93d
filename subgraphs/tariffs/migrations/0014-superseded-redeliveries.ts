import type { MigrationInterface, QueryRunner } from 'typeorm';
import { RESTORE_IN_FAN_OUT } from '../../delivery/fan-out.sql';

/** A delivered event remains delivered if its redelivery is superseded. A process of the previous release calls the same function. */
export class TariffSupersededRedeliveries1790000000014 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = tariffs, register');
    await session.query(RESTORE_IN_FAN_OUT());
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}
