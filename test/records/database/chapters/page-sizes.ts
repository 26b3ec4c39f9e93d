import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { CustomerRecordRepository } from '../../../../subgraphs/access/customers/customer-record.repository';
import { PortalAccessRepository } from '../../../../subgraphs/access/customers/portal-access.repository';
import { type AccessRecordPage, AccessRecordQueries } from '../../../../subgraphs/access/records/access-record.queries';
import type { Controller } from '../../../../subgraphs/access/records/access-record';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { type AccessDatabase, DUID, accessDatabase } from '../../../support/access-database';
import { ACCOUNT, EARLY_OCCUPANT, putAccount, putRecord } from '../../../support/access-rows';
import { fixtureOfThisFile } from '../../../support/sign-in-fixture';

/** Bytes of a response that a service sends to another one. */
const MAX_RESPONSE_BYTES = 15 * 1024 * 1024;
const RECORDS = 70;

/** Returns 60 controllers with long addresses of websites: 250 KB. */
function manyControllers(): Controller[] {
  const url = () => `https://harbourlight.example/${randomBytes(1_000).toString('hex')}`;
  const names = Array.from({ length: 60 }, (_, index) => `Harbourlight ${index}`);
  return names.map((name) => ({ name, role: 'joint', contactUrl: url(), privacyRightsUrl: url() }));
}

export function pageSizes(): void {
  describe('A list of 70 records that one Data User made as large as a body may be', () => {
    const meterPointId = 'home';
    const ANY = { state: null, legalBasis: null };
    const SCOPE = {
      meterPointId,
      ownRecordIds: [],
      isCurrent: true,
      isContested: false,
      since: '2000-01-01',
      beganAt: null,
      endedAt: null,
    };
    const ids: string[] = [];
    let tables: AccessDatabase;
    let database: Database;
    let lists: AccessRecordQueries;
    let portal: string;
    beforeAll(async () => {
      tables = await accessDatabase();
      database = openDatabase(tables.address);
      lists = new AccessRecordQueries(database);
      portal = await putAccount(tables.owner, 'portal', 'Kestrel Switching');
      const controllers = manyControllers();
      for (let n = 0; n < RECORDS; n++) ids.push(await putRecord(tables.owner, { meterPointId, controllers }));
      ids.push(await putRecord(tables.owner, { meterPointId: 'elsewhere' }));
    });
    afterAll(async () => {
      await database.close();
      await tables.close();
    });

    /** Returns the ids of each page; no page exceeds what a service may send. */
    async function pagesOf(read: (after: string | null) => Promise<AccessRecordPage>): Promise<string[][]> {
      const pages: string[][] = [];
      let after: string | null = null;
      do {
        const { nodes, nextCursor, pageInfo, total }: AccessRecordPage = await read(after);
        expect(Buffer.byteLength(JSON.stringify(nodes))).toBeLessThan(MAX_RESPONSE_BYTES);
        expect([pageInfo.hasNextPage, await total()]).toEqual([nextCursor !== null, RECORDS]);
        pages.push(nodes.map(({ id }) => id));
        after = nextCursor;
      } while (after !== null);
      return pages;
    }
    const newestFirst = () => ids.slice(0, RECORDS).toReversed();

    it.each([100, 10])('shows a customer each of them once, by pages of at most %i', async (first) => {
      const customers = new CustomerRecordRepository(database);
      const pages = await pagesOf((after) => customers.page(SCOPE, 'current', { first, after }));
      expect(pages.flat()).toEqual(newestFirst());
      expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(first);
    });

    it('is empty where the customer has none', async () => {
      const scope = { ...SCOPE, meterPointId: 'nowhere' };
      const page = await new CustomerRecordRepository(database).page(scope, 'current', { first: 100, after: null });
      expect([page.nodes, page.nextCursor]).toEqual([[], null]);
    });

    it('shows a Data User each of them once, and counts one listing of each', async () => {
      await tables.owner.query('delete from look');
      const filter = { ...ANY, duid: DUID, meterPointId };
      const pages = await pagesOf((after) => lists.page(filter, { first: 500, after }, ACCOUNT));
      expect(pages.flat()).toEqual(newestFirst());
      const { rows } = await tables.owner.query('select count, count(*)::int as records from look group by count');
      expect(rows).toEqual([{ count: 1, records: RECORDS }]);
    });

    it('shows a portal each of them once, for one token a page', async () => {
      const portals = new PortalAccessRepository(database, lists, keyedHash(randomBytes(32), 'portal-alias'));
      const filter = { ...ANY, duid: null, meterPointId, occupant: EARLY_OCCUPANT };
      const token = () => ({ hash: randomBytes(32), expiresAt: new Date('2999-01-01') });
      const pages = await pagesOf((after) => portals.page(portal, token(), filter, { first: 200, after }));
      expect(pages.flat()).toEqual(newestFirst());
    });

    it('has shorter pages for a customer if the records have many versions, and as long ones as before for a portal', async () => {
      const meter = randomUUID();
      const customers = new CustomerRecordRepository(database);
      const length = async () =>
        (await customers.page({ ...SCOPE, meterPointId: meter }, 'current', { first: 100, after: null })).nodes.length;
      for (let n = 0; n < 20; n++) await putRecord(tables.owner, { meterPointId: meter });
      expect(await length()).toBe(20);
      await changeOften(tables.owner, meter);
      expect(await length()).toBe(12);
      const filter = { ...ANY, duid: null, meterPointId: meter, occupant: EARLY_OCCUPANT };
      const token = { hash: randomBytes(32), expiresAt: new Date('2999-01-01') };
      const portals = new PortalAccessRepository(database, lists, keyedHash(randomBytes(32), 'portal-alias'));
      expect((await portals.page(portal, token, filter, { first: 200, after: null })).nodes).toHaveLength(20);
    });
  });

  describe('A page of 30 records of a Data User with documents of 250 KB', () => {
    it.each([
      ['has all of them without their documents', 'id state registeredAt', 30],
      ['has fewer with a field of their documents', 'id purpose', 17],
    ])('%s', async (_, selection, length) => {
      const { owner, dataUser, executeInAccess } = await fixtureOfThisFile();
      const caller = await dataUser();
      const controllers = manyControllers();
      await owner.query('set search_path = access, register');
      const meterPointId = randomUUID();
      for (let n = 0; n < 30; n++) await putRecord(owner, { meterPointId, controllers });
      await passTo(caller.duid ?? '', owner, meterPointId);
      await owner.query('reset search_path');
      const { data } = await executeInAccess(`{ accessRecords { nodes { ${selection} } } }`, {}, { caller });
      expect(data.accessRecords.nodes).toHaveLength(length);
    });
  });

  describe('A page of 20 records of a Data User that were changed 500 times', () => {
    it.each([
      ['has all of them without their versions', 'id } }', 20],
      ['has fewer with their versions', 'versions(first: 1) { nodes { version } } } }', 12],
      [
        'has fewer with the versions of a fragment',
        '...Changes } } } fragment Changes on AccessRecord { versions { nodes { version } }',
        12,
      ],
    ])('%s', async (_, selection, length) => {
      const { owner, dataUser, executeInAccess } = await fixtureOfThisFile();
      const caller = await dataUser();
      const meterPointId = randomUUID();
      await owner.query('set search_path = access, register');
      for (let n = 0; n < 20; n++) await putRecord(owner, { meterPointId });
      await changeOften(owner, meterPointId, caller.duid ?? '');
      await owner.query('reset search_path');
      const { data } = await executeInAccess(`{ accessRecords { nodes { ${selection} }`, {}, { caller });
      expect(data.accessRecords.nodes).toHaveLength(length);
    });
  });
}

/** Changes the records of a meter point 500 times, and passes them to a Data User. */
const changeOften = (owner: Client, meterPointId: string, duid = DUID) => change(owner, meterPointId, duid, 500);
/** Passes the records of a meter point to a Data User. */
const passTo = (duid: string, owner: Client, meterPointId: string) => change(owner, meterPointId, duid, 1);

async function change(owner: Client, meterPointId: string, duid: string, version: number): Promise<void> {
  await owner.query(`set session_replication_role = 'replica'`);
  await owner.query('update access_record set version = $3, duid = $2 where meter_point_id = $1', [
    meterPointId,
    duid,
    version,
  ]);
  await owner.query('reset session_replication_role');
}
