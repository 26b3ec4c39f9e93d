import { Pool } from 'pg';
import { RegisterError } from '../../../../schema/register-error';
import {
  AccessRecordQueries,
  MAX_PAGES_OF_ACCOUNT,
  type AccessRecordFilter,
  type AccessRecordPage,
} from '../../../../subgraphs/access/records/access-record.queries';
import { TerminationRepository } from '../../../../subgraphs/access/accounts/termination.repository';
import type { AccessState, LegalBasis } from '../../../../subgraphs/access/records/access-record';
import { expireDueRecords } from '../../../../subgraphs/access/records/sweeps.module';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { registerClock } from '../../../../subgraphs/server/database/register-clock';
import { type AccessDatabase, DUID, accessDatabase, insertRecord } from '../../../support/access-database';
import { putRecord } from '../../../support/access-rows';
import { putMany } from '../../../support/event-rows';
import { type Planning, rowsRead } from '../../../support/rows-read';
import { until } from '../../../support/until';
import { OF_THIS_DATABASE } from '../../../support/lock-waiters';

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

    it('leaves sessions for others while an operation lists records that another one counts', async () => {
      const lists = new AccessRecordQueries(database);
      const WAITING = `select from pg_locks where not granted and relation = 'look'::regclass
        and ${OF_THIS_DATABASE}`;
      const waiting = async () => (await tables.owner.query(WAITING)).rowCount;
      await tables.owner.query('begin; lock table look in exclusive mode');
      const page = { first: 2, after: null };
      const pages = Array.from({ length: 15 }, () => lists.page(EVERYTHING, page, ACCOUNT));
      const rejected: unknown[] = [];
      const listed = Promise.all(pages.map((each) => each.catch((error: unknown) => void rejected.push(error))));
      try {
        await until(async () => ((await waiting()) === MAX_PAGES_OF_ACCOUNT ? true : undefined));
        expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
        await until(() => (rejected.length === 13 ? true : undefined)); // the others of the account wait for a limited time
      } finally {
        await tables.owner.query('rollback');
      }
      expect(new Set(rejected.map((error) => (error as RegisterError).code))).toEqual(new Set(['LIM002']));
      expect((await listed).filter((each) => each !== undefined)).toHaveLength(MAX_PAGES_OF_ACCOUNT);
    });

    it.each([
      ['all of it', EVERYTHING],
      ['what is ACTIVE on contract', { ...EVERYTHING, state: 'ACTIVE', legalBasis: 'uk-contract' } as const],
    ])('is counted in an index alone: %s', async (_, filter) => {
      expect(await planOf((lists) => lists.count(filter))).toMatch(/Index Only Scan using access_record_/);
      expect(await new AccessRecordQueries(database).count(filter)).toBe(3);
    });
  });

  describe('The list of a Data User with a state or a legal basis', () => {
    const BASES: readonly (LegalBasis | null)[] = [null, 'uk-consent', 'uk-contract'];
    const STATES: readonly AccessState[] = ['ACTIVE', 'EXPIRED', 'REVOKED', 'DISCOVERED'];
    let tables: AccessDatabase;
    let database: Database;
    beforeEach(async () => {
      tables = await accessDatabase();
      database = openDatabase(tables.address);
    });
    afterEach(async () => {
      await database.close();
      await tables.close();
    });

    /** Returns the ids of a list, read in pages of two. */
    async function listed(
      state: AccessState | null,
      legalBasis: LegalBasis | null = null,
      duid: string | null = DUID,
    ): Promise<string[]> {
      const lists = new AccessRecordQueries(database);
      const ids: string[] = [];
      let after: string | null = null;
      do {
        const filter = { duid, meterPointId: null, state, legalBasis };
        const { nodes, nextCursor }: AccessRecordPage = await lists.page(filter, { first: 2, after }, ACCOUNT);
        ids.push(...nodes.map(({ id }) => id));
        after = nextCursor;
      } while (after !== null);
      return ids;
    }

    it('has each record in the state that it reads, newest first: also one whose expiry or termination no sweep has stored', async () => {
      const { owner } = tables;
      const clock = registerClock(database);
      const expected = new Map<AccessState, string[]>(STATES.map((state) => [state, []]));
      const afterTermination = new Map<AccessState, string[]>(STATES.map((state) => [state, []]));
      const kinds = [
        { state: 'ACTIVE' },
        { state: 'ACTIVE', expiry: `register_now() + interval '1 hour'`, read: 'EXPIRED' },
        { state: 'EXPIRED', expiry: `register_now() - interval '1 hour'` },
        { state: 'ACTIVE', expiry: `register_now() + interval '3 hours'` },
        { state: 'REVOKED', revokedAt: `register_now() - interval '1 hour'` },
        { state: 'EXPIRED', expiry: `register_now() - interval '1 hour'`, legalBasis: 'uk-contract' },
        { state: 'ACTIVE', expiry: `register_now() + interval '1 hour'`, legalBasis: 'uk-contract', read: 'EXPIRED' },
      ] as const;
      for (let age = 1; age <= 3 * kinds.length; age += 1) {
        const kind = kinds[age % kinds.length] as (typeof kinds)[number];
        const id = await putRecord(owner, { ...kind, createdAt: `register_now() - interval '${age} days'` });
        const read = 'read' in kind ? kind.read : kind.state;
        expected.get(read)?.push(id);
        afterTermination.get(read === 'ACTIVE' ? 'REVOKED' : read)?.push(id);
      }
      await insertRecord(tables.application, 'DISCOVERED');
      await clock.setOffset(7_200);
      const lists = async () =>
        new Map(await Promise.all(STATES.map(async (state) => [state, await listed(state)] as const)));
      expect(await lists()).toEqual(expected);
      const all = await listed(null);
      for (const state of STATES) {
        const ofBases = await Promise.all(BASES.slice(1).map((basis) => listed(state, basis)));
        expect(all.filter((id) => ofBases.flat().includes(id))).toEqual(expected.get(state));
      }
      await expireDueRecords(database.pool, () => false);
      expect(await lists()).toEqual(expected);
      await owner.query(`update account set status = 'terminated' where duid = $1`, [DUID]);
      expect(await lists()).toEqual(afterTermination);
    });

    it('has with a legal basis the records of the whole list that have it, in the same order, also among those of all Data Users', async () => {
      const { owner } = tables;
      const other = `duid_${'f'.repeat(24)}`;
      await owner.query(
        `insert into account (account_id, role, display_name, duid, contact_url)
         values ($1, 'data_user', 'Elsewhere', $2, 'https://elsewhere.example')`,
        [`acc_${'f'.repeat(24)}`, other],
      );
      const clock = registerClock(database);
      const ofBasis = new Map<LegalBasis, string[]>();
      for (let age = 1; age <= 24; age += 1) {
        const legalBasis = age % 3 === 0 ? 'uk-contract' : 'uk-consent';
        const expiry = age % 4 === 0 ? `register_now() + interval '1 hour'` : 'null';
        const createdAt = `register_now() - interval '${Math.ceil(age / 2)} days'`; // also two of the same instant
        const id = await putRecord(owner, { legalBasis, expiry, createdAt });
        if (age % 5 < 2) {
          await owner.query(`set session_replication_role = 'replica'`);
          await owner.query('update access_record set duid = $1 where id = $2', [other, id]);
          await owner.query('reset session_replication_role');
        }
        ofBasis.set(legalBasis, [...(ofBasis.get(legalBasis) ?? []), id]);
      }
      await insertRecord(tables.application, 'DISCOVERED');
      await clock.setOffset(7_200);
      await owner.query(`update account set status = 'terminated' where duid = $1`, [other]);
      for (const duid of [null, DUID, other])
        for (const state of [null, ...STATES]) {
          const all = await listed(state, null, duid);
          for (const [legalBasis, ids] of ofBasis)
            expect(await listed(state, legalBasis, duid)).toEqual(all.filter((id) => ids.includes(id)));
        }
      expect(await listed('REVOKED', 'uk-consent', null)).not.toEqual([]);
      expect(await listed('EXPIRED', 'uk-contract', null)).not.toEqual([]);
    });
  });

  describe('The list of a Data User with a state or a legal basis, among many records,', () => {
    const MANY = 5_000;
    const ENDED = `duid_${'e'.repeat(24)}`;
    const [ACTIVE_ONES, ENDED_ONES] = [
      'of a Data User with almost only ACTIVE records',
      'of one with almost only EXPIRED records',
    ];
    let tables: AccessDatabase;
    let database: Database;
    let planner: Pool;
    beforeAll(async () => {
      tables = await accessDatabase();
      database = openDatabase(tables.address);
      planner = new Pool({ connectionString: tables.address.url, options: '-c search_path=access,register' });
      const { owner } = tables;
      const longAgo = `register_now() - interval '1 year'`;
      for (let n = 0; n < 2; n += 1) {
        await putRecord(owner, { state: 'EXPIRED', createdAt: longAgo, expiry: `register_now() - interval '1 month'` });
        await putRecord(owner, { createdAt: longAgo, expiry: `register_now() - interval '1 second'` });
      }
      await putRecord(owner, { state: 'REVOKED', createdAt: longAgo, revokedAt: longAgo });
      const expiry = (sign: '+' | '-') => `register_now() ${sign} n * interval '1 minute'`;
      await putMany(owner, MANY, 'uk-contract', `case when n % 2 = 0 then ${expiry('+')} end`);
      await putMany(owner, MANY, 'uk-contract', expiry('-'), ENDED);
      await owner.query(`set session_replication_role = 'replica'`);
      await owner.query(`update access_record set state = 'EXPIRED' where duid = $1`, [ENDED]);
      await putMany(owner, 2, 'uk-contract', 'null', ENDED);
      await owner.query(`set session_replication_role = 'replica'`);
      await owner.query(`update access_record set created_at = ${longAgo} where duid = $1 and state = 'ACTIVE'`, [
        ENDED,
      ]);
      await owner.query(`set session_replication_role = 'origin'`);
      await owner.query('vacuum analyze access_record');
    }, 120_000);
    afterAll(async () => {
      await planner.end();
      await database.close();
      await tables.close();
    });

    /** Returns how many rows of access records `read` reads from the database: all, or those that it does not read in an index alone. */
    async function rowsReadBy(
      planning: Planning,
      read: () => Promise<unknown>,
      which: 'rows' | 'fetched' = 'rows',
    ): Promise<number> {
      const counts = (await rowsRead({ owner: planner, execute: read }, '', planning))[which];
      const ofRecords = Object.entries(counts).filter(([table]) => table.startsWith('access_record'));
      return ofRecords.reduce((sum, [, count]) => sum + count, 0);
    }

    it.each([
      [ACTIVE_ONES, DUID, 'EXPIRED', 4],
      [ACTIVE_ONES, DUID, 'REVOKED', 1],
      [ACTIVE_ONES, DUID, 'DISCOVERED', 0],
      [ACTIVE_ONES, DUID, 'ACTIVE', 10],
      [ENDED_ONES, ENDED, 'ACTIVE', 2],
      [ENDED_ONES, ENDED, 'REVOKED', 0],
      [ENDED_ONES, ENDED, 'EXPIRED', 10],
    ] as const)('%s (%s) reads few but those that are %s', async (_, duid, state, count) => {
      const lists = new AccessRecordQueries(database);
      const filter = { duid, meterPointId: null, state, legalBasis: null };
      const page = () => lists.page(filter, { first: 10, after: null }, ACCOUNT);
      expect((await page()).nodes).toHaveLength(count);
      for (const planning of ['force_custom_plan', 'force_generic_plan'] as const)
        expect(await rowsReadBy(planning, page)).toBeLessThan(100);
    });

    it.each([
      [ACTIVE_ONES, DUID, null, 'uk-consent', 5],
      [ACTIVE_ONES, DUID, 'ACTIVE', 'uk-consent', 0],
      [ACTIVE_ONES, DUID, 'EXPIRED', 'uk-consent', 4],
      [ACTIVE_ONES, DUID, null, 'uk-contract', 10],
      [ENDED_ONES, ENDED, null, 'uk-consent', 0],
      [ENDED_ONES, ENDED, 'EXPIRED', 'uk-consent', 0],
      ['of all Data Users', null, null, 'uk-consent', 5],
      ['of all Data Users', null, 'ACTIVE', 'uk-consent', 0],
      ['of all Data Users', null, null, 'uk-contract', 10],
    ] as const)('%s (%s) in state %s fetches few but those on %s', async (_, duid, state, legalBasis, count) => {
      const lists = new AccessRecordQueries(database);
      const filter = { duid, meterPointId: null, state, legalBasis };
      const page = () => lists.page(filter, { first: 10, after: null }, ACCOUNT);
      expect((await page()).nodes).toHaveLength(count);
      for (const planning of ['force_custom_plan', 'force_generic_plan'] as const)
        expect(await rowsReadBy(planning, page, 'fetched')).toBeLessThan(100);
    });

    it('and the progress of its termination is counted in an index alone', async () => {
      const { owner } = tables;
      await owner.query(`update account set status = 'terminated' where duid = $1`, [DUID]);
      const progress = () => new TerminationRepository(database).progress(DUID);
      expect(await progress()).toMatchObject({ recordsRevoked: 0, recordsRemaining: MANY });
      const queries = jest.spyOn(database.pool, 'query');
      await progress();
      const [{ text, values }] = queries.mock.calls[0] as unknown as [{ text: string; values: unknown[] }];
      queries.mockRestore();
      const { rows } = await owner.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan.match(/Index Only Scan using access_record_in_state/g)).toHaveLength(2);
    });
  });
}
