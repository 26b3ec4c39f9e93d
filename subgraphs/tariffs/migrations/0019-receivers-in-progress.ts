import { ForwardMigration } from '../../server/database/forward-migration';
import { WAIT_IN_FAN_OUT } from '../../delivery/fan-out-versions.sql';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/**
 * A consent that began before an event receives it also if it is committed after the event. A process of the previous release calls the same
 * function.
 */
export class TariffReceiversInProgress1790000000019 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    WAIT_IN_FAN_OUT(WAIT_FOR_CONSENTS),
    TEMPORARY_OBJECTS_LAST('tariffs'),
  ];
}

/** A transaction that grants a consent shares the locks of its MPxNs before it reads the clock. Every session locks in the same order. */
export const WAIT_FOR_CONSENTS = `perform pg_advisory_xact_lock(lock) from (
      select distinct lock_of_mpxn(mpxn_hash) as lock from fanout join event on event.id = event_id
      where fanout.id = any(taken) and mpxn_hash is not null order by lock) ordered;
    `;
