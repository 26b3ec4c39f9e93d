import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { AccessState } from '../../subgraphs/access/domain/access-record';
import { accessAddress } from '../../subgraphs/access/access';
import { accessMigrations } from '../../subgraphs/access/database/migrations';
import { migrate } from '../../subgraphs/server/migrate';
import { type FreshDatabase, freshDatabase } from './postgres';

/** The tables of the subgraph `access` in a database of their own, as its owner and as the application's role see them. */
export interface AccessDatabase {
  readonly owner: Client;
  /** A session like those of the running subgraph. */
  readonly application: Client;
  close(): Promise<void>;
}

/** A database with the tables of `access`, one Data User in it. */
export async function accessDatabase(): Promise<AccessDatabase> {
  const database = await freshDatabase();
  const address = accessAddress(database.url);
  await migrate(address, accessMigrations, false);
  const path = `-c search_path=${address.schema},register`;
  const owner = await session(database, path);
  const application = await session(database, `${path} -c role=${address.role}`);
  await owner.query(
    `insert into account (account_id, role, display_name, duid) values ($1, 'data_user', 'Harbourlight', $2)`,
    [`acc_${'0'.repeat(24)}`, DUID],
  );
  return {
    owner,
    application,
    close: async () => {
      await Promise.all([owner.end(), application.end()]);
      await database.drop();
    },
  };
}

/** The Data User of {@link accessDatabase}. */
export const DUID = `duid_${'0'.repeat(24)}`;

async function session({ url }: FreshDatabase, options: string): Promise<Client> {
  const client = new Client({ connectionString: url, options });
  await client.connect();
  return client;
}

/** Inserts a record that begins in a state; answers its id. */
export async function insertRecord(client: Client, state: AccessState): Promise<string> {
  const id = randomUUID();
  await client.query(
    `insert into access_record (id, key_hash, key_sealed, duid, state, legal_basis, registered_at, revoked_at, document)
     values ($1, $2, '\\x01', $3, $4, 'uk-contract', register_now(), case when $4 = 'REVOKED' then register_now() end, '{}')`,
    [id, randomBytes(32), DUID, state],
  );
  return id;
}

/** SQLSTATE with which a statement was refused, or `done`; nothing of it is kept. */
export async function outcomeOf(client: Client, statement: () => Promise<unknown>): Promise<string> {
  await client.query('begin');
  try {
    await statement();
    return 'done';
  } catch (error) {
    return String((error as { code?: string }).code);
  } finally {
    await client.query('rollback');
  }
}
