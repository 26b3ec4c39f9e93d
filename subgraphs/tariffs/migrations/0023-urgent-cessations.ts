import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** The end of a supplier is sent within 60 minutes (decisions C/D, D.3), so it goes ahead of any backlog, as a revocation does. */
export class TariffUrgentCessations1790000000023 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    OUTBOX_OF_EVENT,
    `update fanout set urgent = true where subject = 'cessation' and not urgent`,
    `update delivery set urgent = true where subject = 'cessation' and state = 'pending' and not urgent`,
    TEMPORARY_OBJECTS_LAST('tariffs'),
  ];
}

/** A lane is an MPxN, or `cessation`. A revocation has a lane of its own: it waits for nothing that is put off. */
const OUTBOX_OF_EVENT = `
  create or replace function put_into_outbox() returns trigger language plpgsql set search_path = tariffs, register, pg_temp as $$
    begin
      insert into fanout (event_id, subject, urgent) values (new.id,
        case when new.type = 'consent.revoked' then new.id else coalesce(encode(new.mpxn_hash, 'hex'), 'cessation') end,
        new.type in ('consent.revoked', 'supplier.cessation'));
      perform pg_notify('tariffs_deliveries', '');
      return null;
    end $$`;
