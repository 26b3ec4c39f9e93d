import { ForwardMigration } from '../../server/database/forward-migration';
import { ADVISORY_LOCKS } from '../../server/database/advisory-locks';

/** A termination or claim that waited for a lock counts at the instant of the lock, not at its arrival. */
export class InstantsAfterWaiting1790000000024 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', NOTE_TERMINATION, CLAIMS, TRANSITION_AT_LOCK];
}

/** As before, but the instant is read with the lock for which terminations wait: until then, verifications return ACTIVE. */
const NOTE_TERMINATION = `
  create or replace function note_termination() returns trigger language plpgsql as $$
    begin
      if new.status <> 'terminated' then
        new.terminated_at := null;
      elsif new.terminated_at is null then
        perform pg_advisory_xact_lock(${ADVISORY_LOCKS.terminations});
        new.terminated_at := access.clock_of_call();
      end if;
      return new;
    end $$`;

/** As before, but a claim that waited for the report of the discovered access is not earlier than that report. */
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
      update access.access_record record set claimed_at = access.clock_of_call(), superseded_by = match.superseded_by
      from match join locked using (id) where record.id = match.id and record.state = 'DISCOVERED' and record.claimed_at is null
      returning record.id, match.account_id
    ),
    noted as (
      insert into access.access_record_transition (record_id, number, from_state, to_state, cause, account_id)
      select id, (select max(number) + 1 from access.access_record_transition where record_id = claimed.id),
        'DISCOVERED', 'DISCOVERED', 'claimed', account_id from claimed
    )
    select count(*)::integer from claimed $$`;

const CLAIMS = `
  ${CLAIM('claim_discovered_at(meter_point text)', 'discovered.meter_point_id = meter_point')};
  ${CLAIM('claim_discovered_at(meter_point text, claimant text)', 'discovered.meter_point_id = meter_point and active.duid = claimant')};
  ${CLAIM('claim_discovered_of(claimant text)', 'active.duid = claimant')}`;

/** As before, and the transition of a claim has the instant of the claim. */
const TRANSITION_AT_LOCK = `
  create or replace function transition_at_lock() returns trigger language plpgsql as $$
    begin
      new.at := coalesce((select coalesce(revoked_at, claimed_at) from access.access_record where id = new.record_id), access.clock_of_call());
      return new;
    end $$;
  drop trigger at_lock on access_record_transition;
  create trigger at_lock before insert on access_record_transition for each row
    when (new.cause in ('revoked', 'withdrawn', 'replaced', 'claimed')) execute function transition_at_lock()`;
