import { Client, Pool } from 'pg';
import { Registry } from 'prom-client';
import { type EventFilter, EventLog } from '../../../../subgraphs/access/events/event-log.queries';
import { RENEW_EVENT_ERA } from '../../../../subgraphs/server/event-log/event-era';
import { measureEventLog } from '../../../../subgraphs/server/event-log/event-log-lag';
import { type Database, openDatabase, sessionOptions } from '../../../../subgraphs/server/database/database';
import { type AccessDatabase, DUID, accessDatabase, outcomeOf } from '../../../support/access-database';
import { type Planning, rowsRead } from '../../../support/rows-read';
import { logSettled } from '../../../support/settled-log';
import { until } from '../../../support/until';
import { end, eventsOf, register, replace } from '../../../support/event-rows';

export function eventLog(): void {
  const EVERYTHING = { types: null, duid: null };

  let tables: AccessDatabase;
  let database: Database;
  let log: EventLog;
  beforeAll(async () => {
    tables = await accessDatabase();
    database = openDatabase(tables.address);
    log = new EventLog(database);
  });
  afterAll(async () => {
    await database.close();
    await tables.close();
  });

  async function session(): Promise<Client> {
    const client = new Client(sessionOptions(tables.address));
    await client.connect();
    return client;
  }

  /** Returns the ids of all selected events after a cursor, read in pages of `first`. */
  async function everythingAfter(cursor: string, first = 500, filter: EventFilter = EVERYTHING): Promise<string[]> {
    const { cursor: next, entries } = await log.follow(filter, cursor, first);
    if (entries.length === 0) return [];
    return [...entries.map(({ id }) => id), ...(await everythingAfter(next, first, filter))];
  }

  const settled = () => logSettled(tables.owner);

  const head = async () => (await log.follow(EVERYTHING, null, 1)).cursor;

  describe('A change of a record', () => {
    it.each([
      ['its registration', 'access.registered', (id: string) => id],
      ['its revocation', 'access.revoked', (id: string) => end(tables.application, id, 'revoked')],
      ['the withdrawal of consent', 'consent.withdrawal', (id: string) => end(tables.application, id, 'withdrawn')],
    ] as const)('causes one event with its transition: %s', async (_, type, change) => {
      const id = await register(tables.application);
      await change(id);
      const events = await eventsOf(tables.owner, id);
      const last = events.at(-1) as (typeof events)[number];
      expect(events).toHaveLength(type === 'access.registered' ? 1 : 2);
      expect(last).toMatchObject({ type, duid: DUID, transition: events.length, webhook_id: null, record_ids: null });
      const row = await log.byId(last['id']);
      expect(row?.transition).toMatchObject({ at: last['occurred_at'], cause: expect.any(String) });
      const { rows } = await tables.owner.query(
        'select at from access_record_transition where record_id = $1 and number = $2',
        [id, events.length],
      );
      expect(last['occurred_at']).toEqual(rows[0].at);
    });

    it('is stored as ids only, without key, text or document', async () => {
      const { rows } = await tables.owner.query<{ column_name: string }>(
        `select column_name from information_schema.columns where table_schema = 'access' and table_name = 'event' order by ordinal_position`,
      );
      expect(rows.map((row) => row.column_name)).toEqual(
        `id era tx position type occurred_at recorded_at duid record_id transition webhook_id change_id record_ids expiry days_remaining`.split(
          ' ',
        ),
      );
    });

    it('to a past expiry causes the event of the expiry; a change of other content causes none', async () => {
      const id = await register(tables.application, { legalBasis: 'uk-contract' });
      await replace(tables.application, id, '1 day');
      expect((await eventsOf(tables.owner, id)).map(({ type }) => type)).toEqual(['access.registered']);
      await tables.application.query(
        `with record as (update access_record set state = 'EXPIRED', expiry = register_now(), version = version + 1 where id = $1 returning *),
       version as (
         insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document)
         select id, version, 'acc', legal_basis, registered_at, expiry, document from record)
       insert into access_record_transition (record_id, number, from_state, to_state, cause)
       select id, 2, 'ACTIVE', 'EXPIRED', 'replaced' from record`,
        [id],
      );
      expect((await eventsOf(tables.owner, id)).map(({ type }) => type)).toEqual([
        'access.registered',
        'access.expired',
      ]);
    });

    it('is committed with its event or not at all', async () => {
      const client = await session();
      await client.query('begin');
      const id = await register(client);
      expect(await eventsOf(client, id)).toHaveLength(1);
      await client.query('rollback');
      await client.end();
      expect(await eventsOf(tables.owner, id)).toEqual([]);
    });
  });

  describe('Events', () => {
    it('have ids of 24 random hexadecimal digits', async () => {
      const { rows } = await tables.owner.query<{ id: string }>(
        'select new_event_id() as id from generate_series(1, 4000)',
      );
      expect(new Set(rows.map(({ id }) => id)).size).toBe(4000);
      const counts = Array.from({ length: 24 }, (_, digit) => new Set(rows.map(({ id }) => id[4 + digit])).size);
      expect(counts).toEqual(Array.from({ length: 24 }, () => 16));
      expect(rows.every(({ id }) => /^evt_[0-9a-f]{24}$/.test(id))).toBe(true);
    });

    it.each([
      ['rewritten', `update event set type = 'access.revoked'`],
      ['deleted', 'delete from event'],
      ['truncated', 'truncate event'],
    ])('cannot be %s', async (_, statement) => {
      await register(tables.application);
      expect(await outcomeOf(tables.application, () => tables.application.query(statement))).toBe('42501');
      expect(await outcomeOf(tables.owner, () => tables.owner.query(statement))).toBe('23001');
    });

    it.each([
      ['id', '42501'],
      ['era', '42501'],
      ['tx', '42501'],
      ['position', '428C9'], // generated always
      ['recorded_at', '42501'],
    ])('have their %s assigned by the database only', async (column, rejection) => {
      const statement = `insert into event (type, ${column}) select 'access.registered', ${column} from event limit 1`;
      expect(await outcomeOf(tables.application, () => tables.application.query(statement))).toBe(rejection);
    });
  });

  describe('The log', () => {
    it('shows no event while an earlier transaction may still insert one', async () => {
      await settled();
      const from = await head();
      const [early, late] = [await session(), await session()];
      await early.query('begin');
      const first = await register(early);
      const second = await register(late);
      expect(await everythingAfter(from)).toEqual([]);
      await early.query('commit');
      const [one] = await eventsOf(tables.owner, first);
      const [two] = await eventsOf(tables.owner, second);
      await settled();
      expect(await everythingAfter(from)).toEqual([one?.['id'], two?.['id']]);
      await Promise.all([early.end(), late.end()]);
    });

    it('starts from now on at the first unstable event, so that no running transaction is missed', async () => {
      const early = await session();
      await early.query('begin');
      await register(early);
      const from = await head();
      const id = await register(early);
      await early.query('commit');
      await early.end();
      await settled();
      expect(await everythingAfter(from)).toContain((await eventsOf(tables.owner, id))[0]?.['id']);
    });

    it('sends each event once to each reader while many transactions insert, commit late or roll back', async () => {
      const from = await head();
      const writers = await Promise.all(Array.from({ length: 6 }, session));
      const kept: string[] = [];
      let isWriting = true;
      const write = async (client: Client, n: number) => {
        for (let round = 0; round < 25; round++) {
          await client.query('begin');
          const ids = [await register(client), await register(client)];
          if ((round + n) % 3 === 0) await client.query('select pg_sleep(0.01)');
          const isKept = (round + n) % 5 !== 0;
          await client.query(isKept ? 'commit' : 'rollback');
          if (isKept) kept.push(...ids);
        }
      };
      const followed: string[] = [];
      const follow = async () => {
        for (let cursor = from; ;) {
          const isLast = !isWriting;
          const page = await log.follow(EVERYTHING, cursor, 7);
          cursor = page.cursor;
          followed.push(...page.entries.map(({ id }) => id));
          if (page.entries.length === 0 && isLast) return;
        }
      };
      const written = Promise.all(writers.map(write)).then(settled);
      await Promise.all([follow(), written.then(() => (isWriting = false))]);
      await Promise.all(writers.map((client) => client.end()));
      const { rows } = await tables.owner.query<{ id: string }>('select id from event where record_id = any($1)', [
        kept,
      ]);
      expect(rows).toHaveLength(240);
      expect(followed.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
    });

    it('is read from its start with the empty cursor, by subscription and by page', async () => {
      await settled();
      const { rows } = await tables.owner.query<{ id: string }>('select id from event order by era, tx, position');
      const ids = rows.map(({ id }) => id);
      expect(await everythingAfter('', 7)).toEqual(ids);
      const page = await log.page(EVERYTHING, { first: 2, after: '' });
      expect(page.nodes.map(({ id }) => id)).toEqual(ids.slice(0, 2));
      expect(page.pageInfo.hasPreviousPage).toBe(false);
    });

    it('measures its lag while a transaction is open', async () => {
      await settled();
      const registry = new Registry();
      measureEventLog(database, registry);
      const seconds = async () =>
        Number(/^event_log_standstill_seconds (\S+)$/m.exec(await registry.metrics())?.[1] ?? 'none');
      expect(await seconds()).toBe(0);
      const early = await session();
      await early.query('begin');
      await register(early);
      expect(await seconds()).toBe(0);
      const id = await register(tables.application);
      await until(async () => ((await seconds()) > 0.2 ? true : undefined));
      const { rows } = await tables.owner.query<{ age: number }>(
        'select extract(epoch from register_now() - recorded_at)::float8 as age from event where record_id = $1',
        [id],
      );
      expect(await seconds()).toBeGreaterThanOrEqual(rows[0]?.age as number);
      await early.query('commit');
      await early.end();
      await settled();
      expect(await seconds()).toBe(0);
    });

    it('returns only the cursor if there is nothing new, and rejects invalid cursors', async () => {
      const from = await head();
      expect(await log.follow(EVERYTHING, from, 10)).toEqual({ cursor: from, entries: [] });
      const strange = Buffer.from('1 2').toString('base64url');
      await expect(log.follow(EVERYTHING, strange, 10)).rejects.toMatchObject({ code: 'VAL001' });
      await expect(log.follow(EVERYTHING, from, 501)).rejects.toMatchObject({ code: 'VAL003' });
    });
  });

  describe('A cursor from the future', () => {
    const after = async (tx: string, position: number) => {
      const { rows } = await tables.owner.query<{ era: string; tx: string }>(
        `select event_era() as era, (${tx}) as tx from pg_current_snapshot() snapshot`,
      );
      const [{ era, tx: number } = { era: '', tx: '' }] = rows;
      return Buffer.from(`${era} ${number} ${position}`).toString('base64url');
    };
    const NEXT = 'pg_snapshot_xmax(snapshot)';
    const LATER = `(${NEXT}::text::bigint + 1000000)::text`;

    it.each([
      ['of an event of a future transaction', LATER, 1],
      ['of the head of a log that was further', LATER, 0],
    ])('is rejected by every operation, because new events would be skipped: %s', async (_, tx, position) => {
      const cursor = await after(tx, position);
      await expect(log.follow(EVERYTHING, cursor, 10)).rejects.toMatchObject({ code: 'VAL001' });
      for (const duid of [null, DUID])
        await expect(log.page({ types: null, duid }, { first: 10, after: cursor })).rejects.toMatchObject({
          code: 'VAL001',
        });
    });

    it('includes one of a later epoch', async () => {
      const later = Buffer.from(`9000000000000000 1 1`).toString('base64url');
      await expect(log.follow(EVERYTHING, later, 10)).rejects.toMatchObject({ code: 'VAL001' });
    });

    it('does not include the head, even if no transaction is running', async () => {
      const cursor = await after(NEXT, 0);
      expect((await log.follow(EVERYTHING, cursor, 10)).entries).toEqual([]);
      expect((await log.page(EVERYTHING, { first: 10, after: cursor })).nodes).toEqual([]);
    });
  });

  describe('A page of the log', () => {
    let ids: string[];
    beforeAll(async () => {
      ids = [];
      for (let n = 0; n < 3; n++) ids.push(await register(tables.application));
      await end(tables.application, ids[0] as string, 'withdrawn');
      await end(tables.application, ids[1] as string, 'revoked');
      await settled();
    });

    const kinds = (events: readonly { readonly type: string; readonly row: { readonly record_id: string | null } }[]) =>
      events.map(({ type, row }) => `${type} ${ids.indexOf(row.record_id as string)}`);

    it('contains the latest events, newest first, of all or some types', async () => {
      expect(kinds(await log.latest(EVERYTHING, 3))).toEqual([
        'access.revoked 1',
        'consent.withdrawal 0',
        'access.registered 2',
      ]);
      expect(kinds(await log.latest({ types: ['consent.withdrawal'], duid: null }, 1))).toEqual([
        'consent.withdrawal 0',
      ]);
      expect(kinds(await log.latest({ types: ['access.registered', 'access.revoked'], duid: null }, 2))).toEqual([
        'access.revoked 1',
        'access.registered 2',
      ]);
    });

    it.each([
      ['everything', EVERYTHING],
      ['rarer types', { types: ['consent.withdrawal', 'access.revoked'], duid: null }],
      ['registrations', { types: ['access.registered'], duid: null }],
      ['a Data User', { types: null, duid: DUID }],
      ['some types of a Data User', { types: ['access.registered', 'access.revoked'], duid: DUID }],
      ['rarer types of a Data User', { types: ['consent.withdrawal', 'access.revoked'], duid: DUID }],
    ] as const)('leads to the next one until the end, oldest first: %s', async (_, filter) => {
      const all = await log.page(filter, { first: 500, after: null });
      const seen: string[] = [];
      for (let after: string | null = null, more = true; more;) {
        const page = await log.page(filter, { first: 70, after });
        seen.push(...page.nodes.map(({ id }) => id));
        after = page.nextCursor;
        more = after !== null;
      }
      expect(seen).toEqual(all.nodes.map(({ id }) => id));
      const { rows } = await tables.owner.query(
        `select id from event where ($1::text[] is null or type = any($1)) order by era, tx, position`,
        [filter.types],
      );
      expect(seen).toEqual(rows.map(({ id }) => id));
      expect(await everythingAfter('', 70, filter)).toEqual(seen);
    });

    it('with rarer types of a Data User is followed without its other events, and without the connections of verification', async () => {
      const rejected = () => Promise.reject(new Error('a short read'));
      const reads = { rows: rejected, byKey: () => rejected } as unknown as Database['reads'];
      const options = '-c search_path=access,register -c enable_seqscan=off -c enable_bitmapscan=off'; // the log of a test is small
      const planner = new Pool({ connectionString: tables.address.url, options });
      await tables.owner.query('vacuum analyze event');
      const filter: EventFilter = { types: ['consent.withdrawal'], duid: DUID };
      const { entries } = await log.follow(filter, '', 500);
      expect(entries.length).toBeGreaterThan(0);
      const graph = { owner: planner, execute: () => new EventLog({ ...database, reads }).follow(filter, '', 500) };
      for (const planning of ['force_custom_plan', 'force_generic_plan'] satisfies Planning[])
        expect((await rowsRead(graph, '', planning)).rows).toEqual({ event: entries.length });
      await planner.end();
    });

    it('for another Data User is empty', async () => {
      const filter = { types: null, duid: `duid_${'f'.repeat(24)}` };
      expect((await log.page(filter, { first: 10, after: null })).nodes).toEqual([]);
      expect(await log.follow(filter, '', 10)).toEqual({ cursor: '', entries: [] });
    });

    it.each([
      ['event_order', EVERYTHING, false],
      ['event_order', EVERYTHING, true],
      ['event_of_data_user', { types: null, duid: DUID }, true],
      ['event_of_rarer_type', { types: ['consent.withdrawal'], duid: null }, true],
      ['event_of_data_user_by_rarer_type', { types: ['consent.withdrawal'], duid: DUID }, false],
    ] as const)('is read from the index %s without sorting the log', async (index, filter, isNewestFirst) => {
      const queries = jest.spyOn(database.pool, 'query');
      await (isNewestFirst ? log.latest(filter, 5) : log.page(filter, { first: 5, after: null }));
      const [{ text, values }] = queries.mock.calls[0] as unknown as [{ text: string; values: unknown[] }];
      queries.mockRestore();
      // The log of a test is small: the planner could prefer the index of the whole log, and a filter.
      const rival = index === 'event_order' ? '' : 'drop index event_order;';
      await tables.owner.query(
        `begin; ${rival} set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_hashjoin = off`,
      );
      const { rows } = await tables.owner.query(`explain ${text}`, values);
      await tables.owner.query('rollback');
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(new RegExp(`Index Scan( Backward)? using ${index}`));
    });
  });

  describe('An epoch of the log', () => {
    const era = async () =>
      (await tables.owner.query<{ era: string }>('select event_era() as era')).rows[0]?.era as string;

    it('remains while transaction ids increase', async () => {
      const before = await era();
      await tables.owner.query(RENEW_EVENT_ERA('access'));
      expect(await era()).toBe(before);
    });

    it('ends if the log is ahead of the server: new events follow all stored ones', async () => {
      const last = await register(tables.application);
      await settled();
      const from = await head();
      await tables.owner.query(`set session_replication_role = 'replica'`);
      await tables.owner.query(
        `insert into event (type, tx) select 'access.registered', ((tx::text)::bigint + 1000000)::text::xid8 from event order by tx desc limit 1`,
      );
      await tables.owner.query(`set session_replication_role = 'origin'`);
      const before = await era();
      await tables.owner.query(RENEW_EVENT_ERA('access'));
      expect(Number(await era())).toBeGreaterThan(Number(before));
      const id = await register(tables.application);
      await settled();
      const after = await everythingAfter(from);
      expect(after).toHaveLength(2);
      expect(after[1]).toBe((await eventsOf(tables.owner, id))[0]?.['id']);
      expect(after).not.toContain((await eventsOf(tables.owner, last))[0]?.['id']);
      const renewed = await era();
      await tables.owner.query(RENEW_EVENT_ERA('access'));
      expect(await era()).toBe(renewed);
    });

    it("follows the last one, even if the server's clock is wrong", async () => {
      await tables.owner.query(`set session_replication_role = 'replica'`);
      await tables.owner.query(`insert into event (type, era) values ('access.registered', 4102444800000)`);
      await tables.owner.query(`set session_replication_role = 'origin'`);
      await tables.owner.query(RENEW_EVENT_ERA('access'));
      expect(await era()).toBe('4102444800001');
    });
  });
}
