import { Client } from 'pg';
import { freshDatabase, runIn, testPostgres, type FreshDatabase } from './postgres';

/** What a first start leaves in the data folder, by the names of its files. */
export type FilledFiles = Readonly<Record<string, string>>;

/** A database of its own, as a first start left it, and the files that belong to it. */
export interface FilledDatabase extends FreshDatabase {
  readonly files: FilledFiles;
}

const TEMPLATE = 'filled_register';
/** Workers that want the first one at once wait for each other. */
const LOCK = 4_713;

/**
 * A register that was filled with demo data, as a database of its own: the first in a run fills it, all are copies. Kept in the server of
 * the tests, so that all workers and processes of a run find it.
 *
 * @param fill starts a register in the empty database named, ends it, and tells what it left in its data folder
 */
export async function filledDatabase(fill: (url: string) => Promise<FilledFiles>): Promise<FilledDatabase> {
  const server = await testPostgres();
  const files = await filledTemplate(server, fill);
  return { ...(await freshDatabase(server, TEMPLATE)), files };
}

async function filledTemplate(
  server: { readonly url: string },
  fill: (url: string) => Promise<FilledFiles>,
): Promise<FilledFiles> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query('create table if not exists filled_register (files json not null)');
    const { rows } = await client.query<{ files: FilledFiles }>('select files from filled_register');
    if (rows[0] !== undefined) return rows[0].files;
    await client.query(`drop database if exists ${TEMPLATE} with (force)`); // of somebody who ended while it was filled
    await runIn(server.url, `create database ${TEMPLATE}`);
    const url = new URL(server.url);
    url.pathname = `/${TEMPLATE}`;
    const files = await fill(url.href);
    await runIn(server.url, `alter database ${TEMPLATE} allow_connections false`);
    await client.query('insert into filled_register values ($1)', [JSON.stringify(files)]);
    return files;
  } finally {
    await client.end();
  }
}
