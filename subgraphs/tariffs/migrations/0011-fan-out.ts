import type { MigrationInterface, QueryRunner } from 'typeorm';
import { REPLACE_FAN_OUT } from '../../delivery/fan-out.sql';
import { END_JOBS_OF_DELIVERIES } from '../../delivery/tables.sql';
import { TARIFF_JOBS } from '../tariff-jobs';

/** Results of deliveries write fewer index entries, and the jobs of the former delivery engine end: no task runs them. */
export class TariffFanOut1790000000011 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = tariffs, register');
    await session.query(REPLACE_FAN_OUT());
    await session.query(END_JOBS_OF_DELIVERIES(TARIFF_JOBS));
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}
