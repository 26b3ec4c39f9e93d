import { ForwardMigration } from '../../server/database/forward-migration';

/** The Data User for which the return URL of a session is registered; null without one, and in sessions of the previous release. */
export class SenderOfSession1790000000015 extends ForwardMigration {
  readonly statements = [
    'set local search_path = identity, register',
    `alter table customer_session add column return_duid text`,
  ];
}
