import { ForwardMigration } from '../../server/database/forward-migration';

/** Lists of the undelivered and of the superseded deliveries of a webhook read no others. */
export class DeliveriesInState1790000000032 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', DELIVERIES_IN_STATE];
}

/**
 * Most deliveries are delivered: they have no entry, so that a delivery costs no more. An expression instead of the column, so that no
 * statement of the delivery engine uses this index instead of those of its work.
 */
const DELIVERIES_IN_STATE = `
  create index delivery_in_state on delivery (endpoint_id, upper(state), created_at, event_id)
    where upper(state) in ('UNDELIVERED', 'SUPERSEDED')`;
