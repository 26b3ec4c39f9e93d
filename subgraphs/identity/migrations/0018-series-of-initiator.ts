import { ForwardMigration } from '../../server/database/forward-migration';

/**
 * The series of the bearer token that initiated a re-identification: empty before the first revocation of the account's tokens, null in rows
 * of the previous release.
 */
export class SeriesOfInitiator1790000000018 extends ForwardMigration {
  readonly statements = [
    'set local search_path = identity, register',
    'alter table reidentification add column token_series text',
  ];
}
