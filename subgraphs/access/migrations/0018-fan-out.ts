import type { MigrationInterface, QueryRunner } from 'typeorm';
import { REPLACE_FAN_OUT } from '../../delivery/fan-out.sql';
import { END_JOBS_OF_DELIVERIES } from '../../delivery/tables.sql';

/** Results of deliveries write fewer index entries, and the jobs of the former delivery engine end: no task runs them. */
export class FanOut1790000000018 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = access, register');
    await session.query(REPLACE_FAN_OUT('make_notices_of_expiry'));
    await session.query(END_JOBS_OF_DELIVERIES('access_jobs'));
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}
