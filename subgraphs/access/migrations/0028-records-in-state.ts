import { ForwardMigration } from '../../server/database/forward-migration';

/** Lists of the records of a Data User in one state read no others. */
export class RecordsInState1790000000028 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', RECORDS_IN_STATE];
}

/** The columns of `access_record_count`, which migration 0030 drops, and those of the progress of a termination. Lists read it backwards. */
const RECORDS_IN_STATE = `
  create index access_record_in_state on access_record (duid, state, created_at, id) include (legal_basis, expiry, revoked_at)`;
