import { randomBytes, randomUUID } from 'node:crypto';
import { CustomerRecordRepository } from '../../../../subgraphs/access/customers/customer-record.repository';
import { PortalAccessRepository } from '../../../../subgraphs/access/customers/portal-access.repository';
import { type AccessRecordPage, AccessRecordQueries } from '../../../../subgraphs/access/records/access-record.queries';
import type { Controller } from '../../../../subgraphs/access/records/access-record';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { type AccessDatabase, DUID, accessDatabase } from '../../../support/access-database';
import { ACCOUNT, EARLY_OCCUPANT, putAccount, putRecord } from '../../../support/access-rows';

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

    it('has shorter pages if the records have many versions, which a customer reads with them', async () => {
      const meter = randomUUID();
      for (let n = 0; n < 20; n++) await putRecord(tables.owner, { meterPointId: meter });
      const customers = new CustomerRecordRepository(database);
      const length = async () =>
        (await customers.page({ ...SCOPE, meterPointId: meter }, 'current', { first: 100, after: null })).nodes.length;
      expect(await length()).toBe(20);
      await tables.owner.query(`set session_replication_role = 'replica'`);
      await tables.owner.query('update access_record set version = 500 where meter_point_id = $1', [meter]);
      await tables.owner.query('reset session_replication_role');
      expect(await length()).toBe(12);
    });
  });
}
