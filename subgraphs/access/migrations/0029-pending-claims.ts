import { ForwardMigration } from '../../server/database/forward-migration';

/** An admin names an organisation in a short transaction; a sweep claims what was discovered of it, in parts. */
export class PendingClaims1790000000029 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', PENDING_CLAIMS];
}

/**
 * Data Users whose ACTIVE records the sweep has yet to search for discovered accesses at the same meter points, and the last record that it
 * has searched. A restore continues the search, because a backup contains this table.
 */
const PENDING_CLAIMS = `
  create table pending_claim (
    duid text primary key references account (duid),
    after_created_at timestamptz not null default '-infinity',
    after_id uuid not null default '00000000-0000-0000-0000-000000000000'
  )`;
