import { ForwardMigration } from '../../server/database/forward-migration';

/**
 * The series of an account's bearer tokens; null until its first revocation. A token of another series is rejected. The previous release
 * writes null and issues tokens without a series, which are valid until the first revocation.
 */
export class TokenSeries1790000000019 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    'alter table account add column token_series uuid',
  ];
}
