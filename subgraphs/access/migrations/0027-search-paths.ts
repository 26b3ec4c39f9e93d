import type { MigrationInterface, QueryRunner } from 'typeorm';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** Temporary objects of a login replace no type or table in functions that run as the owner. */
export class SearchPaths1790000000027 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query(TEMPORARY_OBJECTS_LAST('access'));
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}
