import { ForwardMigration } from '../../server/database/forward-migration';

/** Adds the digest of each full model, by which a model mRID is recognised that was used before with other contents. */
export class BaseDigests1790000000007 extends ForwardMigration {
  readonly statements = ['set local search_path = grid_models, register', DIGESTS];
}

/** SHA-256 of the decompressed file; null for base models that the previous release published. */
const DIGESTS = `
  alter table base_file add sha256 bytea check (octet_length(sha256) = 32)`;
