import { BOUND_EVENTS_OF_FAN_OUT } from '../../delivery/fan-out-versions.sql';
import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/**
 * One call of the fan-out writes at most about 2,000 notices of expiry. Before, it wrote those of 250 records for up to 100 subscriptions each,
 * and urgent events waited for them.
 */
export class BoundedNotices1790000000039 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    MAKE_NOTICES,
    BOUND_EVENTS_OF_FAN_OUT('make_notices_of_expiry'),
    TEMPORARY_OBJECTS_LAST('access'),
  ];
}

/**
 * As before, and returns for how many subscriptions a notice is written or exists, because an existing one costs no less; null if the record
 * must wait.
 */
const MAKE_NOTICES = `
  drop function make_notices_of_expiry(text);
  create function make_notices_of_expiry(subject text) returns integer language plpgsql as $$
    declare
      stored record;
      remaining interval;
      receiver uuid;
      notice_id text;
      notices integer := 0;
    begin
      select * into stored from access.access_record where id = subject::uuid for share skip locked;
      if not found then return null; end if;
      if exists (select from access.fanout waiting where waiting.subject = stored.id::text and waiting.event_id is not null) then
        return null;
      end if;
      remaining := stored.expiry - register.register_now();
      if stored.state <> 'ACTIVE' or stored.legal_basis not in ('uk-consent', 'uk-explicit-consent') or remaining <= interval '0'
        or exists (select from access.account where duid = stored.duid and terminated_at is not null)
      then
        return 0;
      end if;
      for receiver in
        select id from access.webhook
        where duid = stored.duid and deleted_at is null and 'consent.expiring' = any(event_types)
          and remaining <= notify_days_before * interval '24 hours'
        order by id
      loop
        notices := notices + 1;
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
      return notices;
    end $$`;
