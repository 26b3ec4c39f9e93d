import type { MigrationInterface, QueryRunner } from 'typeorm';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** A temporary table of a login replaces no table in the guards of published versions. */
export class GridSearchPaths1790000000010 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query(TEMPORARY_OBJECTS_LAST('grid_models'));
  }

  async down(): Promise<void> {
    throw new Error('this migration cannot be reverted');
  }
}
