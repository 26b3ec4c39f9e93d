import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { BY_ID, BY_KEY } from '../../../subgraphs/access/records/access-record.sql';
import { accessTables } from '../../../subgraphs/access/tables.sql';
import { migrate } from '../../../subgraphs/server/database/migrate';
import { databaseAddress } from '../../../subgraphs/server/database/database-login';
import { partitionAccessDatabases } from '../../support/access-database';
import { partitionByHash } from '../../support/hash-partitions';
import { type FreshDatabase, migratedDatabase } from '../../support/postgres';
import { appendOnly } from './chapters/append-only';
import { claimsOfDiscoveries } from './chapters/claims';
import { claimsInParts } from './chapters/claims-in-parts';
import { customerRecords } from './chapters/customer-records';
import { expirySweep } from './chapters/expiry-sweep';
import { recordCounts } from './chapters/record-counts';
import { references } from './chapters/references';
import { retention } from './chapters/retention';
import { stateTransitions } from './chapters/state-transitions';
import { terminations } from './chapters/terminations';

partitionAccessDatabases();

describe('Hash partitions of the hot tables', () => {
  let database: FreshDatabase;
  let owner: Client;
  beforeAll(async () => {
    database = await migratedDatabase();
    owner = new Client({ connectionString: database.url });
    await owner.connect();
    await owner.query('set search_path = access, register');
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
  });

  it('admit everything but two unique indexes that lack the key, and a later start keeps them', async () => {
    expect(await partitionByHash(owner)).toEqual(['access_record_discovered', 'access_record_key_hash_key']);
    await migrate(databaseAddress(database.url, 'access', Buffer.alloc(32, 1)), accessTables, true, {});
  });

  it.each([
    ['one partition', 'by the id of a record', BY_ID, [[randomUUID()]], 1],
    ['an index of each partition', 'by access key', BY_KEY, [[randomBytes(32)]], 4],
  ])('are read from %s: %s', async (_, __, { text }, values, count) => {
    const { rows } = await owner.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${text}`, values);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(new Set(plan.match(/ on access_record_\d/g)).size).toBe(count);
  });
});

/** The chapters of `access-records.test.ts` over partitions: whatever its tables are, the register behaves alike. */
describe('Over hash partitions', () => {
  describe('History', () => {
    appendOnly();
  });
  describe('States of records', () => {
    stateTransitions();
  });
  describe('Expiry', () => {
    expirySweep(false);
  });
  describe('References', () => {
    references();
  });
  describe('Retention', () => {
    retention();
  });
  describe('Counts of records', () => {
    recordCounts();
  });
  describe('Records of customers', () => {
    customerRecords();
  });
  describe('Claims of discoveries', () => {
    claimsOfDiscoveries();
  });
  describe('Claims in parts', () => {
    claimsInParts();
  });
  describe('Terminated Data Users', () => {
    terminations();
  });
});
