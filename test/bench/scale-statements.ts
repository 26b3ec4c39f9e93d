import type { PoolClient } from 'pg';
import { EventCounts } from '../../subgraphs/access/events/event-counts.queries';
import { EventLog } from '../../subgraphs/access/events/event-log.queries';
import { REVOKE } from '../../subgraphs/access/records/access-record.sql';
import { expireSome } from '../../subgraphs/access/records/expiry.repository';
import { storedTotal } from '../../subgraphs/access/records/record-counts.repository';
import { type Database, openDatabase } from '../../subgraphs/server/database/database';
import { databaseAddress } from '../../subgraphs/server/database/database-login';
import type { BenchRegister } from './bench-fixture';
import { reached } from './progress';

/** Statements of the product on the database of a register; each returns how many milliseconds it took. */
export interface ScaleStatements {
  readonly statements: Readonly<Record<string, () => Promise<number>>>;
  close(): Promise<void>;
}

const PAGE_SIZE = 50;
const MINUTES_OF_STATISTICS = 60;
/** Number of records that a measured sweep expires. */
const DUE_RECORDS = 100;

/** Opens the database, and waits until the product has counted the records. */
export async function openScaleStatements({ databaseUrl, owner }: BenchRegister): Promise<ScaleStatements> {
  const database = openDatabase(databaseAddress(databaseUrl, 'access', Buffer.alloc(0), { login: 'owner' }));
  const total = () => storedTotal(database.pool, { duid: owner.duid as string, state: 'ACTIVE', legalBasis: null });
  await reached('sides are counted', 1, async () => ((await total()) === undefined ? 0 : 1));
  const log = new EventLog(database);
  const all = { types: null, duid: null };
  return {
    statements: {
      total: () => timeOf(total),
      revoke: () => revocation(database, owner.duid as string),
      'expiry-sweep': () => sweep(database),
      'event-log': () => timeOf(() => log.latest(all, PAGE_SIZE)),
      'event-feed': () => timeOf(() => log.follow(all, '', PAGE_SIZE)),
      statistics: () => timeOf(() => new EventCounts(database).ofLast(MINUTES_OF_STATISTICS)),
    },
    close: () => database.close(),
  };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Runs work in a transaction that is rolled back. */
async function rolledBack(database: Database, work: (session: PoolClient) => Promise<number>): Promise<number> {
  const session = await database.pool.connect();
  try {
    await session.query('begin');
    return await work(session);
  } finally {
    await session.query('rollback');
    session.release();
  }
}

/** Returns some records from a random position in the index of ids. */
const RANDOM_RECORDS = `select id, key_hash from access_record where id >= gen_random_uuid() and state = 'ACTIVE' order by id limit $1`;

function revocation(database: Database, duid: string): Promise<number> {
  return rolledBack(database, async (session) => {
    const { rows } = await session.query<{ key_hash: Buffer }>(RANDOM_RECORDS, [1]);
    const values = [rows[0]?.key_hash, duid, 'bench', null, 'customer-request'];
    return timeOf(async () => {
      await session.query({ ...REVOKE, values });
      await session.query('set constraints all immediate');
    });
  });
}

function sweep(database: Database): Promise<number> {
  return rolledBack(database, async (session) => {
    const { rows } = await session.query<{ id: string }>(RANDOM_RECORDS, [DUE_RECORDS]);
    await session.query('set local session_replication_role = replica');
    await session.query(
      `update access_record set expiry = register_now() - interval '1 minute' where id = any($1::uuid[])`,
      [rows.map(({ id }) => id)],
    );
    await session.query('set local session_replication_role = origin');
    return timeOf(() => expireSome(session));
  });
}
