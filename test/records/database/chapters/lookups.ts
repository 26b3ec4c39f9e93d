import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import pino from 'pino';
import { AccessRecordQueries } from '../../../../subgraphs/access/records/access-record.queries';
import { CustomerRecordRepository } from '../../../../subgraphs/access/customers/customer-record.repository';
import type { CustomerScope } from '../../../../subgraphs/access/customers/customer-scope.client';
import { countVerifications } from '../../../../subgraphs/access/customers/lookup-counts.repository';
import {
  type VerificationCounter,
  verificationCounter,
} from '../../../../subgraphs/access/customers/verification-counter.flow';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { registerClock } from '../../../../subgraphs/server/database/register-clock';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import type { Role } from '../../../../schema/roles';
import { type AccessDatabase, DUID, accessDatabase } from '../../../support/access-database';
import { ACCOUNT, EARLY_OCCUPANT, putAccount, putRecord } from '../../../support/access-rows';
import { fixtureOfThisFile, newMpxn } from '../../../support/sign-in-fixture';
import { until } from '../../../support/until';

export function lookupsOfRecords(): void {
  const EVERYTHING = { duid: null, meterPointId: null, state: null, legalBasis: null };
  const silent = pino({ level: 'silent' });

  interface Counter {
    readonly record_id: string;
    readonly account_id: string;
    readonly kind: string;
    readonly count: number;
  }

  describe('Lookups of access records', () => {
    let tables: AccessDatabase;
    let database: Database;
    let lists: AccessRecordQueries;
    beforeAll(async () => {
      tables = await accessDatabase();
      database = openDatabase(tables.address);
      lists = new AccessRecordQueries(database);
      const toHalfPast = 1_800 - (Math.floor(Date.now() / 1_000) % 3_600); // so that no test runs over a full hour
      await registerClock(database).setOffset(toHalfPast);
    });
    beforeEach(() => tables.owner.query('delete from look'));
    afterAll(async () => {
      await database.close();
      await tables.close();
    });

    const countersOf = async (owner: Client, ...ids: string[]) => {
      const { rows } = await owner.query<Counter>(
        'select record_id, account_id, kind, count from look where record_id = any($1::uuid[]) order by record_id, account_id, kind',
        [ids],
      );
      return rows.map(({ account_id, kind, count }) => `${account_id || 'holder'} ${kind} ${count}`);
    };
    const meterPointWith = async (records: number) => {
      const meterPointId = randomUUID();
      const ids: string[] = [];
      for (let n = 0; n < records; n++) ids.push(await putRecord(tables.owner, { meterPointId }));
      return { meterPointId, ids };
    };

    describe('in lists', () => {
      it('is counted for each record that a page shows, and for no other', async () => {
        const { meterPointId, ids } = await meterPointWith(3);
        const own = { ...EVERYTHING, meterPointId, duid: DUID };
        const page = await lists.page(own, { first: 2, after: null }, ACCOUNT);
        const shown = page.nodes.map(({ id }) => id);
        expect(await countersOf(tables.owner, ...shown)).toEqual([`${ACCOUNT} listing 1`, `${ACCOUNT} listing 1`]);
        expect(await countersOf(tables.owner, ...ids)).toHaveLength(2);
        await lists.page(own, { first: 2, after: page.nextCursor }, ACCOUNT);
        await lists.page({ ...own, duid: null, occupant: EARLY_OCCUPANT }, { first: 3, after: null }, ACCOUNT);
        expect(await countersOf(tables.owner, ...ids)).toEqual(ids.map(() => `${ACCOUNT} listing 2`));
      });

      it('is counted in all of them: own records, everything', async () => {
        const { ids } = await meterPointWith(1);
        await lists.page({ ...EVERYTHING, duid: DUID }, { first: 1, after: null }, ACCOUNT);
        await lists.page(EVERYTHING, { first: 1, after: null }, 'admin');
        expect(await countersOf(tables.owner, ...ids)).toEqual([`${ACCOUNT} listing 1`, 'admin listing 1']);
      });

      it('loses none of many at once, in whatever order they read', async () => {
        const { meterPointId, ids } = await meterPointWith(20);
        const own = { ...EVERYTHING, meterPointId, duid: DUID };
        const wide = () => lists.page(own, { first: 20, after: null }, ACCOUNT);
        const narrow = () => lists.page({ ...EVERYTHING, duid: DUID }, { first: 20, after: null }, ACCOUNT);
        await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? wide() : narrow())));
        expect(await countersOf(tables.owner, ...ids)).toEqual(ids.map(() => `${ACCOUNT} listing 100`));
      });

      it('is not counted for a record that has lost its meter point', async () => {
        const id = await putRecord(tables.owner, { meterPointId: null });
        await lists.page(EVERYTHING, { first: 5, after: null }, ACCOUNT);
        expect(await countersOf(tables.owner, id)).toEqual([]);
      });
    });

    describe('by verification', () => {
      let lookups: VerificationCounter;
      beforeEach(() => {
        lookups = verificationCounter((seen) => countVerifications(database, seen), silent);
      });
      afterEach(() => lookups.close());

      it('is written within a second, each record and caller apart', async () => {
        const { ids } = await meterPointWith(2);
        const [one, other] = ids.toSorted() as [string, string];
        const timers = jest.spyOn(globalThis, 'setTimeout');
        for (let n = 0; n < 3; n++) lookups.verified(one, null);
        lookups.verified(one, ACCOUNT);
        lookups.verified(other, null);
        const waits = timers.mock.calls.map(([, milliseconds]) => milliseconds);
        timers.mockRestore();
        const counters = await until(async () => {
          const found = await countersOf(tables.owner, ...ids);
          return found.length === 3 ? found : undefined;
        });
        expect(waits).toEqual([800]); // the rest of the second is for the writing
        expect(counters).toEqual(['holder verification 3', `${ACCOUNT} verification 1`, 'holder verification 1']);
      });

      it('is written when the register ends', async () => {
        const { ids } = await meterPointWith(1);
        lookups.verified(ids[0] as string, null);
        await lookups.close();
        expect(await countersOf(tables.owner, ...ids)).toEqual(['holder verification 1']);
      });

      it('adds up over replicas that write at once', async () => {
        const { ids } = await meterPointWith(50);
        const seen = ids.toSorted().map((recordId) => ({ recordId, accountId: '', count: 2 }));
        await Promise.all(Array.from({ length: 8 }, () => countVerifications(database, seen)));
        expect(await countersOf(tables.owner, ...ids)).toEqual(ids.map(() => 'holder verification 16'));
      });

      it('is not counted for a record that is unknown or has lost its meter point', async () => {
        const gone = await putRecord(tables.owner, { meterPointId: null });
        const unknown = randomUUID();
        lookups.verified(gone, null);
        lookups.verified(unknown, null);
        await lookups.close();
        expect(await countersOf(tables.owner, gone, unknown)).toEqual([]);
      });
    });

    it('by verification with a token name an organisation, but neither a customer nor the consumer of a supplier', async () => {
      const fixture = await fixtureOfThisFile();
      const callerWith = (role: Role): Caller => ({ accountId: `${role} account`, role, duid: null, mpid: null });
      const report = 'mutation ($input: DiscoveredAccessInput!) { reportDiscoveredAccess(input: $input) { ak } }';
      const input = {
        ...{ mpxn: newMpxn(), organisationName: 'Gadwall Analytics', organisationReference: 'ORG-1' },
        ...{ firstSeen: '2026-03-01', dataTypesObserved: ['HH_CONSUMPTION'], sourceReference: 'REPORT-1' },
      };
      const { data } = await fixture.executeInAccess(
        report,
        { input },
        { caller: callerWith('communications_operator') },
      );
      const verify = 'query ($ak: AccessKey!) { accessRecord(key: $ak) { state } }';
      for (const role of ['customer', 'consumer', 'data_provider'] as const)
        await fixture.executeInAccess(verify, data.reportDiscoveredAccess, { caller: callerWith(role) });
      const counters = await until(async () => {
        const { rows } = await fixture.owner.query<{ account_id: string; count: number }>(
          `select account_id, sum(count)::int as count from access.look where kind = 'verification' and record_id = (
             select id from access.access_record where state = 'DISCOVERED' order by created_at desc limit 1) group by 1 order by 1`,
        );
        return rows.reduce((sum, { count }) => sum + count, 0) === 3 ? rows : undefined;
      });
      expect(counters).toEqual([
        { account_id: '', count: 2 },
        { account_id: 'data_provider account', count: 1 },
      ]);
    });

    it('are listed for the customer by hour and organisation, for own records and the own occupancy only', async () => {
      const clock = registerClock(database);
      const { meterPointId, ids } = await meterPointWith(1);
      const elsewhere = await meterPointWith(1);
      const provider = await putAccount(tables.owner, 'data_provider', 'Brackenfield Meter Data');
      const [id] = ids as [string];
      const insert = `insert into look (record_id, account_id, kind, hour, count) values ($1, $2, $3, $4, $5)`;
      await tables.owner.query(insert, [id, '', 'verification', '2026-05-31T22:00Z', 1]); // an hour before June in London
      await tables.owner.query(insert, [id, '', 'verification', '2026-05-31T23:00Z', 2]);
      await tables.owner.query(insert, [id, provider, 'verification', '2026-06-01T10:00Z', 3]);
      await tables.owner.query(insert, [elsewhere.ids[0], provider, 'verification', '2026-06-01T10:00Z', 4]);
      await lists.page({ ...EVERYTHING, meterPointId, duid: DUID }, { first: 1, after: null }, ACCOUNT);
      const whole = { isCurrent: true, isContested: false, ownRecordIds: [] };
      const scope = { meterPointId, ...whole, since: '2026-06-01', beganAt: null, endedAt: null };
      const lookups = await new CustomerRecordRepository(database).lookups(scope, 500);
      const thisHour = new Date(Math.floor((await clock.now()).getTime() / 3_600_000) * 3_600_000);
      expect(lookups.map(({ recordId, ...lookup }) => ({ ...lookup, of: recordId === id }))).toEqual([
        { organisation: 'Harbourlight', kind: 'listing', hour: thisHour, count: 1, of: true },
        {
          organisation: 'Brackenfield Meter Data',
          kind: 'verification',
          hour: new Date('2026-06-01T10:00Z'),
          count: 3,
          of: true,
        },
        { organisation: null, kind: 'verification', hour: new Date('2026-05-31T23:00Z'), count: 2, of: true },
      ]);
      expect(await new CustomerRecordRepository(database).lookups(scope, 1)).toHaveLength(1);
      const earlier = await new CustomerRecordRepository(database).lookups(scope, 500, new Date('2026-06-01T10:00Z'));
      expect(earlier.map(({ count }) => count)).toEqual([2]);
    });

    it('are listed for a former occupant up to the last whole hour before the next occupancy', async () => {
      const identityRecordId = randomUUID();
      const id = await putRecord(tables.owner, { identityRecordId });
      const insert = `insert into look (record_id, kind, hour, count) values ($1, 'verification', $2, $3)`;
      await tables.owner.query(insert, [id, '2026-06-09T22:00Z', 1]);
      await tables.owner.query(insert, [id, '2026-06-09T23:00Z', 2]); // the day of the Change of Tenancy has begun in London
      const own = { isCurrent: false, isContested: false, ownRecordIds: [identityRecordId] };
      const former = { meterPointId: 'meter point', ...own, since: '2026-06-01', beganAt: null };
      const lookups = (endedAt: string | null) =>
        new CustomerRecordRepository(database)
          .lookups({ ...former, endedAt }, 500)
          .then((all) => all.map(({ count }) => count));
      expect(await lookups('2026-06-09T23:00:00Z')).toEqual([1]);
      expect(await lookups('2026-06-09T23:59:59.999Z')).toEqual([1]);
      expect(await lookups('2026-06-10T00:00:00Z')).toEqual([2, 1]);
      expect(await lookups(null)).toEqual([2, 1]);
    });

    it('of the hour in which an occupancy starts are listed for its customer, and not for the former one', async () => {
      const [meterPointId, former] = [randomUUID(), randomUUID()];
      const id = await putRecord(tables.owner, { meterPointId, identityRecordId: former });
      const insert = `insert into look (record_id, kind, hour, count) values ($1, 'verification', $2, $3)`;
      for (const [hour, count] of [8, 9, 10].entries())
        await tables.owner.query(insert, [id, `2026-06-10T${String(hour + 8).padStart(2, '0')}:00Z`, count]);
      const change = '2026-06-10T09:05:12Z';
      const counts = async (of: Omit<CustomerScope, 'meterPointId' | 'isContested'>) => {
        const scope = { meterPointId, isContested: false, ...of };
        return (await new CustomerRecordRepository(database).lookups(scope, 500)).map(({ count }) => count);
      };
      const next = { isCurrent: true, ownRecordIds: [], since: '2026-06-10', beganAt: change, endedAt: null };
      expect(await counts(next)).toEqual([10, 9]);
      const last = { isCurrent: false, ownRecordIds: [former], since: '2026-01-01', beganAt: null, endedAt: change };
      expect(await counts(last)).toEqual([8]);
    });
  });

  describe('Verifications that cannot be written yet', () => {
    const written: (readonly { recordId: string; accountId: string; count: number }[])[] = [];
    let fails = false;
    const logged: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
    const write = async (seen: (typeof written)[number]) => {
      if (fails) throw new Error('the database is away');
      written.push(seen);
    };
    beforeEach(() => {
      jest.useFakeTimers();
      written.length = 0;
      logged.length = 0;
      fails = false;
    });
    afterEach(() => jest.useRealTimers());

    it('remain in memory, and are written with later ones', async () => {
      const lookups = verificationCounter(write, logger);
      const [one, other] = ['1', '2'].map((digit) => digit.repeat(36)) as [string, string];
      fails = true;
      lookups.verified(other, 'acc');
      await jest.advanceTimersByTimeAsync(1_000);
      expect(logged).toHaveLength(1);
      fails = false;
      lookups.verified(other, 'acc');
      lookups.verified(one, null);
      await jest.advanceTimersByTimeAsync(6_000);
      expect(written).toEqual([
        [
          { recordId: other, accountId: 'acc', count: 2 },
          { recordId: one, accountId: '', count: 1 },
        ],
      ]);
    });

    it('are dropped above a bound, which is logged, while existing pairs are counted', async () => {
      const lookups = verificationCounter(write, logger);
      const idOf = (n: number) => String(n).padStart(36, '0');
      for (let n = 0; n < 50_010; n++) lookups.verified(idOf(n), null);
      lookups.verified(idOf(0), null);
      await lookups.close();
      expect(written.flat()).toHaveLength(50_000);
      expect(Math.max(...written.map(({ length }) => length))).toBe(1_000); // the event loop handles requests between batches
      expect(written[0]?.[0]).toEqual({ recordId: idOf(0), accountId: '', count: 2 });
      expect(logged.map((line) => JSON.parse(line).lost)).toEqual([10]);
    });
  });
}
