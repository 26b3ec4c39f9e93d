import { ForwardMigration } from '../../server/database/forward-migration';

/**
 * Counts read `access_record_in_state`. A transaction of its own drops the former index: one that has built an index keeps the changes of
 * records waiting, and would deadlock with them when it drops another.
 */
export class ReplacedCountIndex1790000000030 extends ForwardMigration {
  readonly statements = ['drop index if exists access.access_record_count'];
}
