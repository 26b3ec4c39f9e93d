import { ForwardMigration } from '../../server/database/forward-migration';

/** From which instant the records of a terminated Data User read REVOKED; a sweep writes their transitions afterwards. */
export class TerminatedDataUsers1790000000010 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', TERMINATED_AT, EVENT_OF_TRANSITION, CLAIMS];
}

/** Every read of an ACTIVE record looks here: the index holds terminated Data Users only, so that it is nearly empty. */
const TERMINATED_AT = `
  alter table account add column terminated_at timestamptz;
  update account set terminated_at = coalesce(
    (select max(at) from audit_entry where action = 'terminate' and subject = account_id), register_now())
  where status = 'terminated';
  create index account_terminated on account (duid) include (terminated_at) where terminated_at is not null;
  create function note_termination() returns trigger language plpgsql as $$
    begin
      new.terminated_at := case when new.status = 'terminated' then coalesce(new.terminated_at, register.register_now()) end;
      return new;
    end $$;
  create trigger termination before insert or update of status, terminated_at on account
    for each row execute function note_termination()`;

/** As before, and an access that ends with its Data User is revoked, at the instant of the termination. */
const EVENT_OF_TRANSITION = `
  create or replace function event_of_transition() returns trigger language plpgsql as $$
    begin
      insert into access.event (type, occurred_at, duid, record_id, transition)
      select case new.cause
          when 'registered' then 'access.registered'
          when 'revoked' then 'access.revoked'
          when 'data-user-terminated' then 'access.revoked'
          when 'withdrawn' then 'consent.withdrawal'
          when 'expired' then 'access.expired'
          when 'replaced' then 'access.expired'
          when 'discovered' then 'access.discovered'
          when 'claimed' then 'access.claimed'
        end,
        case new.cause when 'expired' then record.expiry when 'data-user-terminated' then record.revoked_at else new.at end,
        record.duid, new.record_id, new.number
      from access.access_record record where record.id = new.record_id;
      return null;
    end $$`;

/** As before, but a terminated Data User, whose records read REVOKED, claims nothing. */
const CLAIM = (signature: string, which: string) => `
  create or replace function ${signature} returns integer language sql volatile as $$
    with match as (
      select distinct on (discovered.id) discovered.id, active.id as superseded_by, account_id
      from access.access_record discovered
        join access.access_record active on active.meter_point_id = discovered.meter_point_id and active.state = 'ACTIVE'
          and (active.expiry is null or active.expiry > register.register_now())
        join access.account on account.duid = active.duid and account.terminated_at is null
          and (access.as_compared(organisation_reference)
              = access.as_compared(discovered.document -> 'discoveredAccess' ->> 'organisationReference')
            or access.as_compared(display_name)
              = access.as_compared(discovered.document -> 'discoveredAccess' ->> 'organisationName'))
      where ${which} and discovered.state = 'DISCOVERED' and discovered.claimed_at is null
        and (discovered.expiry is null or discovered.expiry > register.register_now())
      order by discovered.id, active.created_at desc, active.id
    ),
    locked as materialized (
      select id from access.access_record where id in (select id from match) order by id for update
    ),
    claimed as (
      update access.access_record record set claimed_at = register.register_now(), superseded_by = match.superseded_by
      from match join locked using (id) where record.id = match.id and record.state = 'DISCOVERED' and record.claimed_at is null
      returning record.id, match.account_id
    ),
    told as (
      insert into access.access_record_transition (record_id, number, from_state, to_state, cause, account_id)
      select id, (select max(number) + 1 from access.access_record_transition where record_id = claimed.id),
        'DISCOVERED', 'DISCOVERED', 'claimed', account_id from claimed
    )
    select count(*)::integer from claimed $$`;

const CLAIMS = `
  ${CLAIM('claim_discovered_at(meter_point text)', 'discovered.meter_point_id = meter_point')};
  ${CLAIM('claim_discovered_at(meter_point text, claimant text)', 'discovered.meter_point_id = meter_point and active.duid = claimant')};
  ${CLAIM('claim_discovered_of(claimant text)', 'active.duid = claimant')}`;
