import {
  AccessRecordQueries,
  type AccessRecordFilter,
} from '../../../../subgraphs/access/records/access-record.queries';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { type AccessDatabase, accessDatabase, insertRecord } from '../../../support/access-database';

export function recordLists(): void {
  const ACCOUNT = `acc_${'0'.repeat(24)}`;
  const EVERYTHING: AccessRecordFilter = { duid: null, meterPointId: null, state: null, legalBasis: null };

  describe('The list of everything, for the back office', () => {
    let tables: AccessDatabase;
    let database: Database;
    beforeAll(async () => {
      tables = await accessDatabase();
      database = openDatabase(tables.address);
      for (let n = 0; n < 3; n++) await insertRecord(tables.application, 'ACTIVE');
      await tables.owner.query('update record_count_position set era = 0'); // nothing is counted yet
      await tables.owner.query('vacuum analyze access_record');
    });
    afterAll(async () => {
      await database.close();
      await tables.close();
    });

    /** The plan of the one statement by which a list is read, when the table is too large to be read as a whole. */
    async function planOf(read: (lists: AccessRecordQueries) => Promise<unknown>): Promise<string> {
      const queries = jest.spyOn(database.pool, 'query');
      await read(new AccessRecordQueries(database));
      const [{ text, values }] = queries.mock.calls[0] as unknown as [{ text: string; values: unknown[] }];
      queries.mockRestore();
      const { owner } = tables;
      await owner.query('set enable_seqscan = off; set enable_sort = off; set enable_bitmapscan = off');
      const { rows } = await owner.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    }

    it('is read newest first from an index, without sorting', async () => {
      const plan = await planOf((lists) => lists.page(EVERYTHING, { first: 2, after: null }, ACCOUNT));
      const [, page = ''] = /CTE sized\n([\s\S]*?)\n +CTE/.exec(plan) ?? [];
      expect(page).toContain('Index Scan using access_record_newest');
      expect(page).not.toContain('Sort');
    });

    it.each([
      ['all of it', EVERYTHING],
      ['what is ACTIVE on contract', { ...EVERYTHING, state: 'ACTIVE', legalBasis: 'uk-contract' } as const],
    ])('is counted in an index alone: %s', async (_, filter) => {
      expect(await planOf((lists) => lists.count(filter))).toMatch(/Index Only Scan using access_record_/);
      expect(await new AccessRecordQueries(database).count(filter)).toBe(3);
    });
  });
}
