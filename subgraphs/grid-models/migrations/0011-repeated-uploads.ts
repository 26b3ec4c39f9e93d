import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds when an upload address was prepared, which limits its extension, and the index by which full models are found. */
export class RepeatedUploads1790000000011 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = grid_models, register');
    for (const part of [PREPARED, FULL_MODELS]) await session.query(part);
  }

  async down(): Promise<void> {
    throw new Error('this migration cannot be reverted');
  }
}

/** The previous release adds addresses without it. Those that exist count as prepared at the migration. */
const PREPARED = 'alter table upload add prepared_at timestamptz not null default register_now()';

/** The warnings of a version search a full model for each dependency. */
const FULL_MODELS = 'create index base_file_mrid on base_file (lower(mrid))';
