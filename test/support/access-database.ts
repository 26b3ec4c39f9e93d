import { randomBytes, randomUUID } from 'node:crypto';
import { Client, type ClientConfig } from 'pg';
import type { AccessState } from '../../subgraphs/access/records/access-record';
import { accessTables } from '../../subgraphs/access/tables.sql';
import { sessionOptions } from '../../subgraphs/server/database/database';
import { type DatabaseAddress, databaseAddress } from '../../subgraphs/server/database/database-login';
import { migrate } from '../../subgraphs/server/database/migrate';
import { installClock } from '../../subgraphs/server/database/register-clock';
import { partitionByHash } from './hash-partitions';
import { migratedDatabase } from './postgres';

/**
 * The tables of the subgraph `access` in a separate database, with a session of their owner and one of the
 * application's login.
 */
export interface AccessDatabase {
  readonly address: DatabaseAddress;
  readonly owner: Client;
  /** A session with the rights of the running subgraph. */
  readonly application: Client;
  close(): Promise<void>;
}

let isPartitioned = false;

/** From now on, {@link accessDatabase} makes databases whose hot tables have hash partitions. */
export function partitionAccessDatabases(): void {
  isPartitioned = true;
}

/** A database with the tables of `access`, one Data User in it. */
export async function accessDatabase(): Promise<AccessDatabase> {
  const database = await migratedDatabase();
  const address = databaseAddress(database.url, 'access', randomBytes(32));
  await migrate(address, accessTables, true, {});
  const owner = await session({
    connectionString: address.url,
    options: `-c search_path=${address.schema},register`,
  });
  if (isPartitioned) await partitionByHash(owner);
  const application = await session(sessionOptions(address));
  await owner.query(
    `insert into account (account_id, role, display_name, duid, contact_url)
     values ($1, 'data_user', 'Harbourlight', $2, 'https://harbourlight.example/contact')`,
    [`acc_${'0'.repeat(24)}`, DUID],
  );
  return {
    address,
    owner,
    application,
    close: async () => {
      await Promise.all([owner.end(), application.end()]);
      await database.drop();
    },
  };
}

/**
 * Installs a fixed clock that is ahead, as after a jump of the clock of the database; returns a function that makes it movable
 * and correct again.
 */
export async function jumpedClock(owner: Pick<Client, 'query'>, ahead: string): Promise<() => Promise<void>> {
  await installClock(owner, false);
  await owner.query(`create or replace function register.register_now() returns timestamptz language sql stable parallel safe as
    'select statement_timestamp() + interval ''${ahead}'''`);
  return async () => {
    await installClock(owner, false);
    await installClock(owner, true);
  };
}

/** The Data User of {@link accessDatabase}. */
export const DUID = `duid_${'0'.repeat(24)}`;

async function session(options: ClientConfig): Promise<Client> {
  const client = new Client(options);
  await client.connect();
  return client;
}

/**
 * Registers a record that begins in a state, with its history; returns its id. A record of discovered access has no
 * Data User.
 */
export async function insertRecord(
  client: Client,
  state: AccessState,
  duid: string | null = state === 'DISCOVERED' ? null : DUID,
): Promise<string> {
  const id = randomUUID();
  await client.query(
    `with record as (
       insert into access_record (id, key_hash, key_sealed, duid, identity_record_id, identity_record_ref, meter_point_id, state,
         legal_basis, registered_at, document)
       select $1, $2, '\\x01', $3, case when $3::text is not null then gen_random_uuid() end, 'ir', 'meter point', $4,
         case when $3 is not null then 'uk-contract' end, register_now(), '{}' returning *),
     version as (
       insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, document)
       select id, 1, 'acc', legal_basis, registered_at, document from record)
     insert into access_record_transition (record_id, number, to_state, cause)
     select id, 1, state, case state when 'DISCOVERED' then 'discovered' else 'registered' end from record`,
    [id, randomBytes(32), duid, state],
  );
  return id;
}

/** Returns the statements that apply `change` to a record `$1` and write the matching history row. */
export const withHistory = {
  version: (
    change: string,
  ) => `with record as (update access_record set ${change}, version = version + 1 where id = $1 returning *)
    insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document)
    select id, version, 'acc', legal_basis, registered_at, expiry, document from record`,
  revocation:
    () => `with record as (update access_record set state = 'REVOKED', revoked_at = register_now() where id = $1 returning id)
    insert into access_record_transition (record_id, number, from_state, to_state, cause)
    select id, 2, 'ACTIVE', 'REVOKED', 'revoked' from record`,
};

/** Returns the SQLSTATE with which a statement (or its commit) is rejected, or `done`; rolls everything back. */
export async function outcomeOf(
  client: Client,
  statement: () => Promise<unknown>,
  until: 'statement' | 'commit' = 'statement',
): Promise<string> {
  await client.query('begin');
  try {
    await statement();
    if (until === 'commit') await client.query('set constraints all immediate');
    return 'done';
  } catch (error) {
    return String((error as { code?: string }).code);
  } finally {
    await client.query('rollback');
  }
}
