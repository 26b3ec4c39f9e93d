import { ForwardMigration } from '../../server/database/forward-migration';
import { TARIFF_JOBS } from '../tariff-jobs';
import { CREATE_EVENT_ERA, EVENT_ORDER } from '../../server/database/released-sql';
import { CREATE_DELIVERIES, CREATE_WEBHOOK_SECRETS } from '../../delivery/released-sql';

/** Consents, webhooks, the event log and its deliveries; what becomes due, and when, is planned by the database itself. */
export class TariffEvents1790000000002 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    CONSENTS,
    COVERAGE,
    WEBHOOKS,
    CREATE_EVENT_ERA('tariffs'),
    EVENTS,
    CREATE_DELIVERIES(TARIFF_JOBS),
    DELIVERIES_OF_EVENT,
    EFFECTS,
    EFFECTS_OF_REVOCATION,
    EFFECTS_OF_STEP,
    EFFECT_OF_REPLACEMENT,
    EFFECTS_OF_STATUS,
  ];
}

const PATH = 'set search_path = tariffs, register, pg_temp';

/**
 * A consent of a consumer at a supplier, for an RTI User: one while it is live, for all meter points of the consumer that its tokens
 * named. The consumer is found by a keyed hash; what they are called is not kept.
 */
const CONSENTS = `
  create table tariff_consent (
    id uuid primary key,
    mpid text collate "C" not null references supplier,
    user_id text collate "C" not null references rti_user,
    subject_hash bytea not null check (octet_length(subject_hash) = 32),
    given_at timestamptz not null default register_now(),
    revoked_at timestamptz,
    revoked_by text check (revoked_by in ('consumer', 'admin', 'rti_user_removed', 'supplier_removed')),
    constraint revoked_by_somebody check (num_nulls(revoked_at, revoked_by) in (0, 2))
  );
  create unique index tariff_consent_live on tariff_consent (mpid, user_id, subject_hash) where revoked_at is null;
  create index tariff_consent_live_of_rti_user on tariff_consent (user_id, id) where revoked_at is null;
  create index tariff_consent_newest on tariff_consent (given_at desc, id desc);
  create index tariff_consent_newest_of_supplier on tariff_consent (mpid, given_at desc, id desc);
  create index tariff_consent_newest_of_rti_user on tariff_consent (user_id, given_at desc, id desc);
  create function guard_consent() returns trigger language plpgsql ${PATH} as $$
    begin
      if to_jsonb(new) - '{revoked_at,revoked_by}'::text[] <> to_jsonb(old) - '{revoked_at,revoked_by}'::text[]
          or old.revoked_at is not null then
        raise exception 'a consent is given once and revoked once' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  create trigger revoked_once before update on tariff_consent for each row execute function guard_consent();
  create trigger never_removed before delete or truncate on tariff_consent for each statement execute function forbid_change();
  create table consent_meter_point (
    consent_id uuid not null references tariff_consent,
    mpxn_hash bytea not null references meter_point,
    added_at timestamptz not null default register_now(),
    covered_at timestamptz not null default register_now(),
    primary key (consent_id, mpxn_hash)
  );
  create index consent_meter_point_mpxn on consent_meter_point (mpxn_hash, consent_id);
  create function guard_consent_meter_point() returns trigger language plpgsql ${PATH} as $$
    begin
      if to_jsonb(new) - 'covered_at' <> to_jsonb(old) - 'covered_at' or new.covered_at < old.covered_at then
        raise exception 'what a consent covers only grows' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  create trigger covered_anew before update on consent_meter_point for each row execute function guard_consent_meter_point();
  create trigger never_removed before delete or truncate on consent_meter_point for each statement execute function forbid_change()`;

/**
 * The rule of who may know of an MPxN by a consent: only who consented after its last end, since from an end on another occupant may live
 * there. An end is a step without a tariff that is in force and has begun; like each step it counts from when it is valid, never before
 * it was recorded. Whoever consents again, after an end, covers the MPxN anew.
 */
const COVERAGE = `
  create function consent_covers(hash bytea, since timestamptz) returns boolean language sql stable ${PATH} as $$
    select not exists (
      select from tariff_step
      where mpxn_hash = hash and withdrawn_at is null and tariff_id is null
        and greatest(valid_from, recorded_at) > since and greatest(valid_from, recorded_at) <= register_now()) $$`;

/** One webhook of an RTI User at a supplier; its address and its secrets are sealed. */
const WEBHOOKS = `
  create table webhook (
    id uuid primary key default gen_random_uuid(),
    mpid text collate "C" not null references supplier,
    user_id text collate "C" not null references rti_user,
    callback_sealed bytea not null,
    created_at timestamptz not null default register_now(),
    replaced_at timestamptz,
    deleted_at timestamptz
  );
  create unique index webhook_once on webhook (mpid, user_id) where deleted_at is null;
  create index webhook_of_rti_user on webhook (user_id) where deleted_at is null;
  create index webhook_newest on webhook (created_at desc, id desc) where deleted_at is null;
  ${CREATE_WEBHOOK_SECRETS}`;

/** What happened, and at whose consents: of a change of supplier the losing one's. No row tells an MPxN. */
const EVENTS = `
  create table event (${EVENT_ORDER},
    type text not null
      check (type in ('tariff.change', 'tariff.update', 'supplier.change', 'consent.revoked', 'supplier.cessation')),
    occurred_at timestamptz not null,
    recorded_at timestamptz not null default register_now(),
    mpid text collate "C" not null references supplier,
    mpxn_hash bytea references meter_point,
    tariff_id text collate "C" references tariff,
    consent_id uuid references tariff_consent,
    constraint of_meter_point check ((type = 'supplier.cessation') = (mpxn_hash is null)),
    constraint of_tariff check ((type in ('tariff.change', 'tariff.update')) = (tariff_id is not null)),
    constraint of_consent check ((type = 'consent.revoked') = (consent_id is not null))
  );
  create unique index event_order on event (era, tx, position);
  create index event_of_supplier on event (mpid, era, tx, position);
  create index event_of_supplier_and_type on event (mpid, type, era, tx, position);
  create index event_of_type on event (type, era, tx, position);
  create trigger append_only before update or delete or truncate on event for each statement execute function forbid_change()`;

/**
 * Who is told is decided as the event is written (3-decisions-c-d.md, D.3): active RTI Users with a live consent for the MPxN at the
 * supplier that covers it still; of a cessation all who have a webhook there; of a revocation the RTI User concerned. A lane is an MPxN;
 * whoever writes several events writes them in the order of their MPxNs, so that lanes are taken in one order. A revocation has a lane of
 * its own: it waits for nothing that is held.
 */
const DELIVERIES_OF_EVENT = `
  create function receivers_of_event(told event) returns setof uuid language sql stable ${PATH} as $$
    select id from webhook
    where told.type = 'supplier.cessation' and mpid = told.mpid and deleted_at is null
    union
    select webhook.id from tariff_consent consent join webhook using (mpid, user_id)
    where told.type = 'consent.revoked' and consent.id = told.consent_id and deleted_at is null
    union
    select webhook.id
    from consent_meter_point point join tariff_consent consent on consent.id = point.consent_id
      join rti_user using (user_id) join webhook using (mpid, user_id)
    where told.type in ('tariff.change', 'tariff.update', 'supplier.change') and point.mpxn_hash = told.mpxn_hash
      and consent.mpid = told.mpid and revoked_at is null and consent_covers(point.mpxn_hash, point.covered_at)
      and status = 'active' and deleted_at is null
    order by 1 $$;
  create function plan_deliveries_of_event() returns trigger language plpgsql ${PATH} as $$
    declare
      is_revocation constant boolean := new.type = 'consent.revoked';
      lane constant text := case when is_revocation then new.id else coalesce(encode(new.mpxn_hash, 'hex'), 'cessation') end;
      endpoint uuid;
    begin
      for endpoint in select receivers_of_event(new) loop
        perform plan_delivery(endpoint, new.id, lane, is_revocation);
      end loop;
      return null;
    end $$;
  create trigger deliveries after insert on event for each row execute function plan_deliveries_of_event()`;

/**
 * What is to be looked at when its time has come. \`reached\` is how far one that concerns many has got. Effects take turns: one that was
 * worked at, and is not done, comes next after those that waited meanwhile, one that failed (\`faults\` counts how often) after some
 * time; \`turn_at\` is when, null at first, when it is \`due_at\`. \`tariff_standing\` is what was last told of an MPxN, as of which
 * instant: what differs from it is told.
 */
const EFFECTS = `
  create table tariff_effect (
    id bigint generated always as identity primary key,
    kind text not null check (kind in ('step', 'replacement', 'supplier.removed', 'rti_user.removed', 'consent.revoked')),
    due_at timestamptz not null,
    planned_at timestamptz not null default register_now(),
    step_id uuid references tariff_step,
    mpxn_hash bytea references meter_point,
    tariff_id text collate "C" references tariff,
    mpid text collate "C" references supplier,
    user_id text collate "C" references rti_user,
    consent_id uuid references tariff_consent,
    reached bytea,
    turn_at timestamptz,
    faults smallint not null default 0,
    done_at timestamptz,
    cancelled_at timestamptz,
    constraint of_its_kind check (case kind
      when 'step' then num_nonnulls(step_id, mpxn_hash) = 2 and num_nonnulls(tariff_id, mpid, user_id, consent_id) = 0
      when 'replacement' then tariff_id is not null and num_nonnulls(step_id, mpxn_hash, mpid, user_id, consent_id) = 0
      when 'supplier.removed' then mpid is not null and num_nonnulls(step_id, mpxn_hash, tariff_id, user_id, consent_id) = 0
      when 'rti_user.removed' then user_id is not null and num_nonnulls(step_id, mpxn_hash, tariff_id, mpid, consent_id) = 0
      else consent_id is not null and num_nonnulls(step_id, mpxn_hash, tariff_id, mpid, user_id) = 0 end)
  );
  create index tariff_effect_turn on tariff_effect (coalesce(turn_at, due_at), due_at, id) where done_at is null and cancelled_at is null;
  create index tariff_effect_due on tariff_effect (due_at) where done_at is null and cancelled_at is null;
  create index tariff_effect_step on tariff_effect (step_id) where step_id is not null;
  create table tariff_standing (
    mpxn_hash bytea primary key references meter_point,
    tariff_id text collate "C" references tariff,
    mpid text collate "C" not null references supplier,
    as_of timestamptz not null
  ) with (fillfactor = 80)`;

/** Consents that one statement revokes share nothing from then on; the events of their MPxNs are an effect of each. */
const EFFECTS_OF_REVOCATION = `
  create function plan_effects_of_revocation() returns trigger language plpgsql ${PATH} as $$
    begin
      insert into tariff_effect (kind, due_at, consent_id)
      select 'consent.revoked', consent.revoked_at, consent.id from revoked consent join before on before.id = consent.id
      where before.revoked_at is null and consent.revoked_at is not null order by consent.id;
      return null;
    end $$;
  create trigger effects after update on tariff_consent referencing old table as before new table as revoked
    for each statement execute function plan_effects_of_revocation()`;

/** A step counts from when it is valid, never before it was recorded; one that is withdrawn takes its effect with it. */
const EFFECTS_OF_STEP = `
  create function plan_effect_of_step() returns trigger language plpgsql ${PATH} as $$
    begin
      insert into tariff_effect (kind, due_at, step_id, mpxn_hash)
      values ('step', greatest(new.valid_from, register_now()), new.id, new.mpxn_hash);
      return null;
    end $$;
  create trigger effect after insert on tariff_step for each row execute function plan_effect_of_step();
  create function cancel_effect_of_step() returns trigger language plpgsql ${PATH} as $$
    begin
      update tariff_effect set cancelled_at = register_now() where step_id = new.id and done_at is null and cancelled_at is null;
      return null;
    end $$;
  create trigger effect_withdrawn after update on tariff_step for each row
    when (old.withdrawn_at is null and new.withdrawn_at is not null) execute function cancel_effect_of_step()`;

const EFFECT_OF_REPLACEMENT = `
  create function plan_effect_of_replacement() returns trigger language plpgsql ${PATH} as $$
    begin
      insert into tariff_effect (kind, due_at, tariff_id)
      values ('replacement', greatest(new.valid_from, new.published_at), new.tariff_id);
      return null;
    end $$;
  create trigger effect after insert on tariff for each row when (new.replaces is not null)
    execute function plan_effect_of_replacement()`;

const resumed = (entry: 'rti_user' | 'supplier', key: 'user_id' | 'mpid'): string => `
  create function resume_${entry}() returns trigger language plpgsql ${PATH} as $$
    begin
      perform resume_deliveries(own.id) from (
        select id from webhook where ${key} = new.${key} and deleted_at is null order by id) own;
      return null;
    end $$;
  create trigger resumed after update of status on ${entry} for each row
    when (old.status <> 'active' and new.status = 'active') execute function resume_${entry}()`;

/** A removal is told at once; the consents that end with it are revoked in steps. What waited for an RTI User or a supplier is resumed. */
const EFFECTS_OF_STATUS = `
  create function effect_of_supplier_removed() returns trigger language plpgsql ${PATH} as $$
    begin
      insert into event (type, occurred_at, mpid) values ('supplier.cessation', register_now(), new.mpid);
      insert into tariff_effect (kind, due_at, mpid) values ('supplier.removed', register_now(), new.mpid);
      return null;
    end $$;
  create trigger effect_removed after update of status on supplier for each row
    when (old.status <> 'removed' and new.status = 'removed') execute function effect_of_supplier_removed();
  create function effect_of_rti_user_removed() returns trigger language plpgsql ${PATH} as $$
    begin
      insert into tariff_effect (kind, due_at, user_id) values ('rti_user.removed', register_now(), new.user_id);
      return null;
    end $$;
  create trigger effect_removed after update of status on rti_user for each row
    when (old.status <> 'removed' and new.status = 'removed') execute function effect_of_rti_user_removed();
  ${resumed('rti_user', 'user_id')};
  ${resumed('supplier', 'mpid')}`;
