import { ForwardMigration } from '../../server/database/forward-migration';
import { CREATE_EVENT_ERA, EVENT_ORDER } from '../../server/database/released-sql';
import { CREATE_DELIVERIES, CREATE_WEBHOOK_SECRETS } from '../../delivery/released-sql';

/** The event log, webhook subscriptions and their deliveries; what a change of a record leads to is done by the database itself. */
export class Events1790000000005 extends ForwardMigration {
  readonly statements = [
    'set local search_path = access, register',
    CREATE_EVENT_ERA('access'),
    EVENTS,
    WEBHOOKS,
    CREATE_DELIVERIES('access_jobs'),
    EVENT_OF_TRANSITION,
    DELIVERIES_OF_EVENT,
    EXPIRING_AT_ONCE,
    WIDER_WINDOW,
  ];
}

/** Hours before an expiry at which any subscription wants its notice: 90 days. */
const LONGEST_WINDOW = 90 * 24;

/**
 * Every registration pays for a row: its type is compared first, its id is the database's alone and needs no check, and the indexes grow
 * at their right edge, but for that of the ids.
 */
const EVENTS = `
  create table event (${EVENT_ORDER},
    type text not null check (type = 'access.registered' or type in ('consent.expiring', 'tenancy.change', 'consent.withdrawal',
      'webhook.test', 'access.revoked', 'access.expired', 'access.discovered', 'access.claimed')),
    occurred_at timestamptz not null default register_now(),
    recorded_at timestamptz not null default register_now(),
    duid text,
    record_id uuid,
    transition integer,
    webhook_id uuid,
    change_id uuid,
    record_ids uuid[],
    expiry timestamptz,
    days_remaining integer
  );
  create unique index event_order on event (era, tx, position);
  create index event_of_data_user on event (duid, era, tx, position);
  create index event_of_rarer_type on event (type, era, tx, position) where type <> 'access.registered';
  create index event_recorded on event using brin (recorded_at) with (pages_per_range = 16, autosummarize = on);
  create unique index event_expiring_once on event (record_id, webhook_id, expiry) where type = 'consent.expiring';
  create trigger append_only before update or delete or truncate on event for each statement execute function forbid_change();
  create index access_record_expiry on access_record (expiry) where state in ('ACTIVE', 'DISCOVERED') and expiry is not null;
  create index access_record_expiring on access_record (duid, expiry, id)
    where state = 'ACTIVE' and legal_basis in ('uk-consent', 'uk-explicit-consent') and expiry is not null`;

/**
 * Callback URLs, e-mail addresses and secrets are sealed; a null \`expiring_through\` asks for a look at the whole window. \`registered_under\`
 * is the hash of the idempotency key, under which the answer with the secret is kept for a while.
 */
const WEBHOOKS = `
  create table webhook (
    id uuid primary key default gen_random_uuid(),
    wid text not null unique check (wid ~ '^wid_[0-9a-f]{24}$'),
    duid text not null references account (duid),
    callback_hash bytea not null,
    callback_sealed bytea not null,
    alert_email_sealed bytea not null,
    notify_days_before integer not null default 30 check (notify_days_before between 1 and 90),
    event_types text[] not null check (cardinality(event_types) > 0
      and event_types <@ array['consent.expiring', 'tenancy.change', 'consent.withdrawal']),
    created_at timestamptz not null default register_now(),
    deleted_at timestamptz,
    expiring_through timestamptz,
    registered_under bytea
  );
  create unique index webhook_callback_once on webhook (duid, callback_hash) where deleted_at is null;
  create index webhook_of_data_user on webhook (duid);
  ${CREATE_WEBHOOK_SECRETS};
  create table webhook_alert (
    webhook_id uuid primary key references webhook,
    mailed_at timestamptz not null
  )`;

/** A withdrawal is one event with its transition; an expiry occurred when it passed, whenever that was written down. */
const EVENT_OF_TRANSITION = `
  create function event_of_transition() returns trigger language plpgsql as $$
    begin
      insert into access.event (type, occurred_at, duid, record_id, transition)
      select case new.cause
          when 'registered' then 'access.registered'
          when 'revoked' then 'access.revoked'
          when 'withdrawn' then 'consent.withdrawal'
          when 'expired' then 'access.expired'
          when 'replaced' then 'access.expired'
          when 'discovered' then 'access.discovered'
          when 'claimed' then 'access.claimed'
        end,
        case new.cause when 'expired' then record.expiry else new.at end, record.duid, new.record_id, new.number
      from access.access_record record where record.id = new.record_id;
      return null;
    end $$;
  create trigger event after insert on access_record_transition for each row execute function event_of_transition()`;

/**
 * A delivery for each subscription that wants the event. Whoever plans several takes their lanes in one order: that of the records,
 * then that of the subscriptions, and the deliveries that it supersedes in the same. A withdrawal and a newer notice of expiry supersede
 * a notice that waits (decisions A/B, 6). That is found by its lane, whatever the database takes the tables for while its
 * statistics are old: only the index of lanes has the order that is asked for, and what is found is changed in its place.
 */
const DELIVERIES_OF_EVENT = `
  create function plan_deliveries_of_event() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    declare
      endpoint uuid;
      subject text := coalesce(new.record_id::text, new.id);
      waiting cursor for select notice.event_id from access.delivery notice
        where notice.endpoint_id = endpoint and notice.subject = new.record_id::text and notice.state || '' = 'pending'
          and (select event.type from access.event where event.id = notice.event_id) = 'consent.expiring'
        order by notice.sequence for update of notice;
    begin
      if new.type = 'tenancy.change' then
        subject := (select change.subject from access.tenancy_change change where change.id = new.change_id);
      else
        for endpoint in
          select id from access.webhook
          where duid = new.duid and deleted_at is null and (new.webhook_id is null or id = new.webhook_id) order by id
        loop
          for overtaken in waiting loop
            update access.delivery set state = 'superseded', ended_at = register.register_now() where current of waiting;
          end loop;
        end loop;
      end if;
      for endpoint in
        select id from access.webhook where duid = new.duid and deleted_at is null
          and case when new.webhook_id is null then new.type = any(event_types) else id = new.webhook_id end
        order by id
      loop
        perform access.plan_delivery(endpoint, new.id, subject, new.type = 'consent.withdrawal');
      end loop;
      return null;
    end $$;
  create trigger deliveries after insert on event for each row
    when (new.type in ('consent.expiring', 'tenancy.change', 'consent.withdrawal', 'webhook.test'))
    execute function plan_deliveries_of_event()`;

/**
 * At commit: a notice for each subscription whose window the new expiry lies in. No subscription changes its window meanwhile: a
 * registration shares the account with others through its foreign key, another change locks it in the same way.
 */
const EXPIRING_AT_ONCE = `
  create function announce_expiring() returns trigger language plpgsql as $$
    declare
      remaining interval := new.expiry - register.register_now();
    begin
      if remaining > interval '${LONGEST_WINDOW} hours' or remaining <= interval '0' then return null; end if;
      if tg_op = 'UPDATE' then perform from access.account where duid = new.duid for key share; end if;
      insert into access.event (type, duid, record_id, webhook_id, expiry, days_remaining)
      select 'consent.expiring', new.duid, new.id, webhook.id, new.expiry, ceil(extract(epoch from remaining) / 86400)
      from access.webhook
      where duid = new.duid and deleted_at is null and 'consent.expiring' = any(event_types)
        and remaining <= notify_days_before * interval '24 hours'
      order by webhook.id
      on conflict do nothing;
      return null;
    end $$;
  create constraint trigger expiring after insert or update of state, legal_basis, expiry on access_record
    deferrable initially deferred for each row
    when (new.state = 'ACTIVE' and new.legal_basis in ('uk-consent', 'uk-explicit-consent') and new.expiry is not null)
    execute function announce_expiring()`;

/** What is registered or replaced meanwhile is either seen by the next look at the whole window, or sees the new window itself. */
const WIDER_WINDOW = `
  create function look_at_whole_window() returns trigger language plpgsql as $$
    begin
      perform from access.account where duid = new.duid for update;
      new.expiring_through := null;
      return new;
    end $$;
  create trigger whole_window before insert or update of notify_days_before, event_types on webhook for each row
    execute function look_at_whole_window()`;
