import { ForwardMigration } from '../../server/database/forward-migration';
import { REDELIVER_AFTER_LOCKING_ENDPOINT } from '../../delivery/tables.sql';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/** Redeliveries and the fan-out lock an endpoint before its deliveries. A process of the previous release calls the same functions. */
export class EndpointsLockedFirst1790000000031 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    REDELIVER_AFTER_LOCKING_ENDPOINT,
    MAKE_NOTICES,
    TEMPORARY_OBJECTS_LAST('access'),
  ];
}

/** As before, and the endpoint of an existing notice is locked before its delivery. */
const MAKE_NOTICES = `
  create or replace function make_notices_of_expiry(subject text) returns boolean language plpgsql as $$
    declare
      stored record;
      remaining interval;
      receiver uuid;
      notice_id text;
    begin
      select * into stored from access.access_record where id = subject::uuid for share skip locked;
      if not found then return false; end if;
      if exists (select from access.fanout waiting where waiting.subject = stored.id::text and waiting.event_id is not null) then
        return false;
      end if;
      remaining := stored.expiry - register.register_now();
      if stored.state <> 'ACTIVE' or stored.legal_basis not in ('uk-consent', 'uk-explicit-consent') or remaining <= interval '0'
        or exists (select from access.account where duid = stored.duid and terminated_at is not null)
      then
        return true;
      end if;
      for receiver in
        select id from access.webhook
        where duid = stored.duid and deleted_at is null and 'consent.expiring' = any(event_types)
          and remaining <= notify_days_before * interval '24 hours'
        order by id
      loop
        insert into access.event (type, duid, record_id, webhook_id, expiry, days_remaining)
        values ('consent.expiring', stored.duid, stored.id, receiver, stored.expiry, ceil(extract(epoch from remaining) / 86400))
        on conflict do nothing;
        continue when found;
        select id into notice_id from access.event
        where type = 'consent.expiring' and record_id = stored.id and webhook_id = receiver and expiry = stored.expiry;
        perform from access.delivery_endpoint where id = receiver for no key update;
        update access.delivery set state = state where endpoint_id = receiver and event_id = notice_id and state = 'pending';
        update access.delivery superseded
        set sequence = 1 + greatest(
            (select max(sequence) from access.delivery lane
              where lane.endpoint_id = receiver and lane.subject = superseded.subject),
            (select last_sequence from access.delivery_lane lane
              where lane.endpoint_id = receiver and lane.subject = superseded.subject))
        where endpoint_id = receiver and event_id = notice_id and state = 'superseded';
        if found then perform access.redeliver(receiver, notice_id); end if;
      end loop;
      return true;
    end $$`;
