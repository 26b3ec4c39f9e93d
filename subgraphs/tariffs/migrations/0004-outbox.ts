import { ForwardMigration } from '../../server/database/forward-migration';
import { REPLACE_DELIVERIES } from '../../delivery/tables.sql';

/**
 * Deliveries are planned after the commit of the change that causes them: the change writes one row to the outbox. What happens while an
 * RTI User is suspended is kept for it (decisions C/D, D.3).
 */
export class TariffOutbox1790000000004 extends ForwardMigration {
  readonly statements = ['set local search_path = tariffs, register', REPLACE_DELIVERIES(), RECEIVERS, OUTBOX_OF_EVENT];
}

const PATH = 'set search_path = tariffs, register, pg_temp';

/**
 * Who is told (decisions C/D, D.3): RTI Users neither disabled nor removed with a live consent for the MPxN at the supplier that
 * covers it still; of a cessation all who have a webhook there; of a revocation the RTI User concerned.
 */
const RECEIVERS = `
  drop trigger deliveries on event;
  drop function plan_deliveries_of_event();
  drop function receivers_of_event(event);
  create function receivers_of(event text, only_endpoint uuid) returns setof uuid language sql stable ${PATH} as $$
    select webhook.id from event told join webhook using (mpid)
    where told.id = $1 and told.type = 'supplier.cessation' and deleted_at is null
    union
    select webhook.id from event told join tariff_consent consent on consent.id = told.consent_id
      join webhook on webhook.mpid = consent.mpid and webhook.user_id = consent.user_id
    where told.id = $1 and told.type = 'consent.revoked' and deleted_at is null
    union
    select webhook.id
    from event told join consent_meter_point point on point.mpxn_hash = told.mpxn_hash
      join tariff_consent consent on consent.id = point.consent_id and consent.mpid = told.mpid
      join rti_user on rti_user.user_id = consent.user_id
      join webhook on webhook.mpid = consent.mpid and webhook.user_id = consent.user_id
    where told.id = $1 and told.type in ('tariff.change', 'tariff.update', 'supplier.change')
      and revoked_at is null and consent_covers(point.mpxn_hash, point.covered_at)
      and status in ('active', 'suspended') and deleted_at is null
    order by 1 $$`;

/** A lane is an MPxN. A revocation is urgent and has a lane of its own: it waits for nothing that is put off. */
const OUTBOX_OF_EVENT = `
  create function put_into_outbox() returns trigger language plpgsql ${PATH} as $$
    declare
      is_revocation constant boolean := new.type = 'consent.revoked';
    begin
      insert into fanout (event_id, subject, urgent) values (new.id,
        case when is_revocation then new.id else coalesce(encode(new.mpxn_hash, 'hex'), 'cessation') end, is_revocation);
      perform pg_notify('tariffs_deliveries', '');
      return null;
    end $$;
  create trigger outbox after insert on event for each row execute function put_into_outbox()`;
