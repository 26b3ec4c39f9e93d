import { ForwardMigration } from '../../server/database/forward-migration';

/**
 * The list of terminations is renewed only if a termination changes. Before, every onboarding and suspension took the lock of terminations
 * until its commit, so that all of them waited for the slowest one.
 */
export class OnlyTerminationsWait1790000000038 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', TRIGGERS];
}

const TRIGGERS = `
  drop trigger terminations on account;
  create trigger terminations_inserted after insert on account
    for each row when (new.terminated_at is not null) execute function note_terminations();
  create trigger terminations_updated after update of status, terminated_at on account
    for each row when (new.terminated_at is distinct from old.terminated_at) execute function note_terminations();
  create trigger terminations_deleted after delete on account
    for each row when (old.terminated_at is not null) execute function note_terminations()`;
