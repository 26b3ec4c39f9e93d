import { ForwardMigration } from '../../server/database/forward-migration';

/** Proofs of re-identification that were redeemed, aliases under which portals know access records, and who looked. */
export class Customers1790000000003 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', REDEEMED, ALIASES, LOOKS];
}

/** The database is the arbiter of a token: the key redeems it once, the check only before its hour has passed. */
const REDEEMED = `
  create table consumed_token (
    token_hash bytea constraint consumed_token_once primary key,
    consumed_at timestamptz not null default register_now(),
    expires_at timestamptz not null,
    constraint consumed_token_in_time check (consumed_at < expires_at)
  );
  create index consumed_token_expiry on consumed_token (expires_at)`;

const ALIASES = `
  create table portal_alias (
    alias_hash bytea primary key,
    record_id uuid not null references access_record,
    account_id text not null references account,
    expires_at timestamptz not null default register_now() + interval '1 hour'
  );
  create index portal_alias_of_record on portal_alias (record_id);
  create index portal_alias_expiry on portal_alias (expires_at)`;

/**
 * One counter for each record, caller, kind and hour; no caller stands for the holder of the key. Counters are added to in place, so
 * pages keep room for it. Nothing refers to the table of records: a check of each would cost more than the counting.
 */
const LOOKS = `
  create table look (
    record_id uuid not null,
    account_id text not null default '',
    kind text not null check (kind in ('verification', 'listing')),
    hour timestamptz not null,
    count integer not null check (count > 0),
    primary key (record_id, account_id, kind, hour)
  ) with (fillfactor = 70);
  create index look_hour on look (hour)`;
