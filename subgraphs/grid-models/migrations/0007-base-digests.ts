import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the digest of each full model, by which a model mRID is recognised that was used before with other contents. */
export class BaseDigests1790000000007 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = grid_models, register');
    await session.query(DIGESTS);
  }

  async down(): Promise<void> {
    throw new Error('this migration cannot be reverted');
  }
}

/** SHA-256 of the decompressed file; null for base models that the previous release published. */
const DIGESTS = `
  alter table base_file add sha256 bytea check (octet_length(sha256) = 32)`;
