import { ForwardMigration } from '../../server/database/forward-migration';
import { REPLACE_DELIVERIES } from '../../delivery/tables.sql';

/**
 * Deliveries are planned after the commit of the change that causes them: the change writes one row to the outbox, whatever the number
 * of subscriptions.
 */
export class Outbox1790000000014 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    REPLACE_DELIVERIES('make_notices_of_expiry'),
    REPLACEABLE,
    RECEIVERS,
    OUTBOX_OF_EVENT,
    EXPIRING_AT_ONCE,
    MAKE_NOTICES,
    WHOLE_WINDOW,
    MOST_SUBSCRIPTIONS,
  ];
}

/** Hours before an expiry at which any subscription wants its notice: 90 days. */
const LONGEST_WINDOW = 90 * 24;

const REPLACEABLE = `
  update delivery set replaceable = true from event where event.id = event_id and type = 'consent.expiring'`;

/**
 * The subscriptions of the event's Data User that want its type; of an event for one subscription that one, whatever it wants. The event is
 * read by its id before its subscriptions (`offset 0`): without statistics, PostgreSQL would read all events of the Data User instead.
 */
const RECEIVERS = `
  create function receivers_of(event text, only_endpoint uuid) returns setof uuid language sql stable as $$
    select webhook.id from (select type, duid from access.event where id = $1 offset 0) told
      join access.webhook on webhook.duid = told.duid
    where webhook.deleted_at is null
      and case when $2 is null then told.type = any(webhook.event_types) else webhook.id = $2 end $$`;

/** A withdrawal and a newer notice of expiry supersede a notice that waits (decisions A/B, 6). */
const OUTBOX_OF_EVENT = `
  drop trigger deliveries on event;
  drop function plan_deliveries_of_event();
  create function put_into_outbox() returns trigger language plpgsql as $$
    begin
      insert into access.fanout (event_id, subject, urgent, replaceable, supersedes, endpoint_id) values (new.id,
        case when new.type = 'tenancy.change'
          then (select change.subject::text from access.tenancy_change change where change.id = new.change_id)
          else coalesce(new.record_id::text, new.id) end,
        new.type = 'consent.withdrawal', new.type = 'consent.expiring', new.type in ('consent.withdrawal', 'consent.expiring'),
        new.webhook_id);
      perform pg_notify('access_deliveries', '');
      return null;
    end $$;
  create trigger outbox after insert on event for each row
    when (new.type in ('consent.expiring', 'tenancy.change', 'consent.withdrawal', 'webhook.test'))
    execute function put_into_outbox()`;

/**
 * A registration or replacement with an expiry that any window may contain asks for its notices. A subscription that is registered or
 * widened later looks at its whole window itself.
 */
const EXPIRING_AT_ONCE = `
  create or replace function announce_expiring() returns trigger language plpgsql as $$
    declare
      remaining interval := new.expiry - register.register_now();
    begin
      if remaining > interval '${LONGEST_WINDOW} hours' or remaining <= interval '0' then return null; end if;
      insert into access.fanout (subject) values (new.id::text);
      perform pg_notify('access_deliveries', '');
      return null;
    end $$`;

/**
 * Makes the events for each subscription in whose window a record expires. The record is locked, so that a withdrawal that is committed
 * later has a later event; a record that another transaction changes at this instant waits for the next call.
 */
const MAKE_NOTICES = `
  create function make_notices_of_expiry(subject text) returns boolean language plpgsql as $$
    declare
      known record;
      remaining interval;
    begin
      select * into known from access.access_record where id = subject::uuid for share skip locked;
      if not found then return false; end if;
      remaining := known.expiry - register.register_now();
      if known.state <> 'ACTIVE' or known.legal_basis not in ('uk-consent', 'uk-explicit-consent') or remaining <= interval '0' then
        return true;
      end if;
      insert into access.event (type, duid, record_id, webhook_id, expiry, days_remaining)
      select 'consent.expiring', known.duid, known.id, webhook.id, known.expiry, ceil(extract(epoch from remaining) / 86400)
      from access.webhook
      where duid = known.duid and deleted_at is null and 'consent.expiring' = any(event_types)
        and remaining <= notify_days_before * interval '24 hours'
      order by webhook.id
      on conflict do nothing;
      return true;
    end $$`;

/** A subscription that is new or changes its window is to be told of its whole window. */
const WHOLE_WINDOW = `
  create or replace function look_at_whole_window() returns trigger language plpgsql as $$
    begin
      new.expiring_through := null;
      return new;
    end $$`;

/** At most 100 subscriptions of a Data User; those that exist already stay. */
const MOST_SUBSCRIPTIONS = `
  create function limit_webhooks() returns trigger language plpgsql as $$
    begin
      perform from access.account where duid = new.duid for no key update;
      if (select count(*) from access.webhook where duid = new.duid and deleted_at is null) >= 100 then
        raise exception 'a Data User has at most 100 subscriptions' using errcode = 'check_violation', constraint = 'webhook_limit';
      end if;
      return new;
    end $$;
  create trigger most_webhooks before insert on webhook for each row execute function limit_webhooks()`;
