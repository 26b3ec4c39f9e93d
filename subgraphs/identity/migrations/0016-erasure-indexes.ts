import { ForwardMigration } from '../../server/database/forward-migration';

/** Indexes of the erasures that `npm run backup -- --list-only` reads every minute. */
export class ErasureIndexes1790000000016 extends ForwardMigration {
  readonly statements = ['set local search_path = identity, register', INDEXES];
}

const INDEXES = `
  create index identity_record_anonymised on identity_record (id) include (anonymised_at) where anonymised_at is not null;
  create index identity_record_closed on identity_record (id) include (closed_at) where closed_at is not null and anonymised_at is null`;
