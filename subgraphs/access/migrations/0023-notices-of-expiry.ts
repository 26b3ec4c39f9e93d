import { ForwardMigration } from '../../server/database/forward-migration';
import { RESTORE_IN_FAN_OUT } from '../../delivery/fan-out-versions.sql';

/** Changes the fan-out and `make_notices_of_expiry`, which it calls. A process of the previous release calls the same functions. */
export class NoticesOfExpiry1790000000023 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    MAKE_NOTICES,
    RESTORE_IN_FAN_OUT('make_notices_of_expiry'),
  ];
}

/**
 * Writes the event for each subscription in whose window a record expires; none for a terminated Data User. A record has one event per expiry
 * and subscription. If the expiry changes and changes back, the superseded delivery of that event is due again, as the last of its lane. The
 * record is locked, so that a withdrawal that is committed later has a later event; a record that another transaction has locked waits for the
 * next call, as does one whose earlier events are not planned yet, because they may supersede the delivery.
 */
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
        update access.delivery superseded
        set sequence = 1 + greatest(
            (select max(sequence) from access.delivery lane
              where lane.endpoint_id = receiver and lane.subject = superseded.subject),
            (select last_sequence from access.delivery_lane lane
              where lane.endpoint_id = receiver and lane.subject = superseded.subject))
        where endpoint_id = receiver and state = 'superseded' and event_id = (
          select id from access.event
          where type = 'consent.expiring' and record_id = stored.id and webhook_id = receiver and expiry = stored.expiry)
        returning event_id into notice_id;
        if found then perform access.redeliver(receiver, notice_id); end if;
      end loop;
      return true;
    end $$`;
