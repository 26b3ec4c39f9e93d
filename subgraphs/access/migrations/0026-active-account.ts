import { ForwardMigration } from '../../server/database/forward-migration';

/** A change of an access record is rejected if its account is no longer active when the change has locked the record. */
export class ActiveAccount1790000000026 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', ACTIVE_ACCOUNT];
}

/**
 * Returns the account if it is active, else fails. It is volatile, so it reads the account at its call, not at the arrival of the statement.
 * It takes no lock: an admin who changes the account would have to wait for changes of its records, and they for the admin.
 */
const ACTIVE_ACCOUNT = `
  create function active_account(id text) returns text language plpgsql volatile as $$
    begin
      perform from access.account where account_id = id and status = 'active';
      if not found then
        raise exception 'the account is not active' using errcode = 'CD002';
      end if;
      return id;
    end $$`;
