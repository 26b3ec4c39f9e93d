import { ForwardMigration } from '../../server/database/forward-migration';
import { ADVISORY_LOCKS } from '../../server/database/advisory-locks';

/** The terminations as a constant of the statements that read access records, kept by a trigger. */
export class TerminationConstant1790000000013 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', RENEW, TRIGGER];
}

/**
 * `data_user_terminations()` returns `{duid: instant of its termination}`. PostgreSQL inlines it, so a statement reads a constant where it
 * would open the table of accounts; replacing the function makes PostgreSQL plan these statements again. The lock makes concurrent
 * terminations rebuild it one after the other, each from all committed ones.
 */
const RENEW = `
  create function renew_data_user_terminations() returns void language plpgsql set search_path = access, pg_temp set timezone = 'UTC' as $$
    declare
      body text;
    begin
      perform pg_advisory_xact_lock(${ADVISORY_LOCKS.terminations});
      select format('select %L::jsonb', coalesce(jsonb_object_agg(duid, terminated_at order by duid), '{}')) into body
      from account where terminated_at is not null and duid is not null;
      if body is distinct from (select prosrc from pg_proc where oid = to_regprocedure('access.data_user_terminations()')) then
        execute format('create or replace function access.data_user_terminations() returns jsonb language sql stable parallel safe as %L', body);
      end if;
    end $$;
  select renew_data_user_terminations()`;

const TRIGGER = `
  create function note_terminations() returns trigger language plpgsql security definer set search_path = access, pg_temp as $$
    begin
      perform renew_data_user_terminations();
      return null;
    end $$;
  create trigger terminations after insert or update of status, terminated_at or delete on account
    for each statement execute function note_terminations()`;
