import type { AccessState, LegalBasis } from '../../../../subgraphs/access/records/access-record';
import {
  storedTotal,
  storedTotals,
  storedTotalsByDataUser,
  updateCounts,
} from '../../../../subgraphs/access/records/record-counts.repository';
import { stateNow } from '../../../../subgraphs/access/records/record-state.sql';
import { countChanges, expireDueRecords, revokeOfTerminated } from '../../../../subgraphs/access/records/sweeps.module';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { type RegisterClock, registerClock } from '../../../../subgraphs/server/database/register-clock';
import { type AccessDatabase, DUID, accessDatabase, insertRecord, withHistory } from '../../../support/access-database';
import { putRecord } from '../../../support/access-rows';
import { end, register } from '../../../support/event-rows';
import { until } from '../../../support/until';

const OTHER = `duid_${'1'.repeat(24)}`;
const STATES: readonly (AccessState | null)[] = [null, 'ACTIVE', 'REVOKED', 'EXPIRED', 'DISCOVERED'];
const BASES: readonly (LegalBasis | null)[] = [null, 'uk-consent', 'uk-explicit-consent', 'uk-contract'];
const LISTS = [null, DUID, OTHER].flatMap((duid) =>
  STATES.flatMap((state) => BASES.map((legalBasis) => ({ duid, state, legalBasis }))),
);

/**
 * Counts the records of lists one by one: `$1` their Data Users, `$2` their states, `$3` their legal bases; null means
 * all.
 */
const COUNT_OF_LISTS = `select (select count(*)::int from access_record r
    where (list.duid is null or r.duid = list.duid) and (list.state is null or ${stateNow('r')} = list.state)
      and (list.basis is null or r.legal_basis = list.basis)) as total
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality as list (duid, state, basis, position) order by position`;

/** Counts the records of a Data User, or of all, one by one, by state and legal basis. */
const COUNT_OF_GROUPS = `select ${stateNow('r')} as state, r.legal_basis as "legalBasis", count(*)::float8 as total
  from access_record r where $1::text is null or r.duid = $1 group by 1, 2 order by 1, 2 nulls last`;

/**
 * Begins a transaction that may stay open while a slow machine counts: the product ends one that is idle for seconds.
 */
const BEGIN_WITHOUT_TIME_LIMIT = 'begin; set local idle_in_transaction_session_timeout = 0';

/** Statement that changes the legal basis of a record, with its version. */
const WITH_OTHER_BASIS = withHistory.version(`legal_basis = 'uk-explicit-consent'`);

export function recordCounts(): void {
  let tables: AccessDatabase;
  let database: Database;
  let clock: RegisterClock;
  beforeEach(async () => {
    tables = await accessDatabase();
    database = openDatabase(tables.address);
    clock = registerClock(database);
    await tables.owner.query(
      `insert into account (account_id, role, display_name, duid, contact_url)
       values ($1, 'data_user', 'Lanternfield', $2, 'https://lanternfield.example/contact')`,
      [`acc_${'1'.repeat(24)}`, OTHER],
    );
    await countAgain();
  });
  afterEach(async () => {
    await clock.setOffset(0);
    await database.close();
    await tables.close();
  });

  const count = () => countChanges(database.pool, () => false);
  const countAgain = async () => {
    await tables.owner.query('update record_count_position set era = 0');
    await count();
  };
  /** Totals of every list: as stored, and as counted one by one. */
  const totals = async () => {
    const stored: (number | undefined)[] = [];
    for (const list of LISTS) stored.push(await storedTotal(database.pool, list));
    const columns = [
      LISTS.map(({ duid }) => duid),
      LISTS.map(({ state }) => state),
      LISTS.map((list) => list.legalBasis),
    ];
    const { rows } = await tables.owner.query<{ total: number }>(COUNT_OF_LISTS, columns);
    return { stored, oneByOne: rows.map(({ total }) => total) };
  };
  const expectExact = async () => {
    const { stored, oneByOne } = await totals();
    expect(stored).toEqual(oneByOne);
    for (const duid of [null, DUID, OTHER]) {
      const { rows } = await tables.owner.query(COUNT_OF_GROUPS, [duid]);
      expect(await storedTotals(database.pool, duid)).toEqual(rows);
      if (duid === null) continue;
      const [next] = (await storedTotalsByDataUser(database.pool, duid.slice(0, -1), 1)) ?? [];
      expect(next?.duid === duid ? next.counts : []).toEqual(rows);
    }
  };
  const expectExactBeforeAndAfterCounting = async () => {
    await expectExact();
    await count();
    await expectExact();
  };
  const total = () => storedTotal(database.pool, { duid: DUID, state: null, legalBasis: null });

  it('are exact after every kind of change, at once and after the change is added to them', async () => {
    const { application, owner } = tables;
    const [withdrawn, replaced] = [await register(application), await register(application)];
    await register(application, { duid: OTHER, legalBasis: 'uk-contract' });
    await register(application, { expiresIn: '-1 hour' });
    await insertRecord(application, 'DISCOVERED');
    await expectExactBeforeAndAfterCounting();
    await end(application, withdrawn, 'withdrawn');
    await application.query(WITH_OTHER_BASIS, [replaced]);
    await expectExactBeforeAndAfterCounting();
    await until(async () => {
      await count(); // an older transaction on the server may delay it
      return (await owner.query('select from legal_basis_change')).rowCount === 0 ? true : undefined;
    });
    await expectExact();
    await end(application, replaced, 'revoked');
    await expectExactBeforeAndAfterCounting();
    await application.query('begin');
    await register(application);
    await application.query('rollback');
    await expectExactBeforeAndAfterCounting();
  });

  it('are exact when expiries pass, and when a Data User is terminated, before a sweep stores it', async () => {
    const { application, owner } = tables;
    await register(application, { expiresIn: '1 hour' });
    await register(application, { duid: OTHER, expiresIn: '1 hour' });
    await register(application, { duid: OTHER, expiresIn: '3 hours' });
    await register(application, { duid: OTHER });
    await clock.setOffset(7_200);
    await expectExactBeforeAndAfterCounting();
    await owner.query(`update account set status = 'terminated' where duid = $1`, [OTHER]);
    await expectExactBeforeAndAfterCounting();
    await revokeOfTerminated(database.pool, () => false);
    await expectExactBeforeAndAfterCounting();
    await expireDueRecords(database.pool, () => false);
    await expectExactBeforeAndAfterCounting();
  });

  it('do not contain a change before its transaction ends, and delay no other change', async () => {
    const { application, owner } = tables;
    await application.query(BEGIN_WITHOUT_TIME_LIMIT);
    await register(application);
    await register(owner);
    await expectExactBeforeAndAfterCounting();
    expect(await total()).toBe(1);
    await application.query('commit');
    expect(await total()).toBe(2);
    await expectExactBeforeAndAfterCounting();
  });

  it('are made for existing records while others are registered', async () => {
    const { application, owner } = tables;
    await putRecord(owner, { state: 'REVOKED', revokedAt: 'register_now()' });
    await putRecord(owner);
    const open = await register(owner);
    await application.query(BEGIN_WITHOUT_TIME_LIMIT);
    await end(application, open, 'revoked');
    await register(owner, { legalBasis: 'uk-contract' });
    await countAgain();
    await expectExact();
    await application.query('commit');
    await expectExactBeforeAndAfterCounting();
    expect(await total()).toBe(4);
  });

  it('are made again in a new epoch of the event log', async () => {
    const { application, owner } = tables;
    await register(application);
    await count();
    await putRecord(owner); // a restore adds rows without events
    await owner.query('select begin_event_era(event_era())');
    await register(application);
    expect(await total()).toBeUndefined();
    await count();
    await expectExact();
    expect(await total()).toBe(3);
  });

  it('are exact while several processes count and others register', async () => {
    const registering = Array.from({ length: 40 }, () => register(database.pool));
    const counting = Array.from({ length: 20 }, () => updateCounts(database.pool));
    await Promise.all([...registering, ...counting]);
    await expectExactBeforeAndAfterCounting();
    expect(await total()).toBe(40);
  });

  it('receive a change of the legal basis also if no event follows it', async () => {
    const id = await register(tables.application);
    // An older transaction on the server may delay what is counted.
    const counted = (statement: string) =>
      until(async () => {
        await count();
        return (await tables.owner.query(statement)).rowCount === 1 ? true : undefined;
      });
    await counted('select from record_count');
    await tables.application.query(WITH_OTHER_BASIS, [id]);
    await counted('select where not exists (select from legal_basis_change)');
    await expectExactBeforeAndAfterCounting();
  });

  it('are exact after the process that adds changes was killed while it did', async () => {
    const { application, owner } = tables;
    await register(application);
    await until(async () => {
      await count(); // an older transaction on the server may delay it
      return (await owner.query('select from record_count')).rowCount === 1 ? true : undefined;
    });
    await register(application);
    await owner.query(BEGIN_WITHOUT_TIME_LIMIT);
    expect((await owner.query('select from record_count for update')).rowCount).toBe(1);
    const countOn = async (): Promise<never> => {
      for (;;) await updateCounts(database.pool); // until nothing older delays it, and it waits for the lock
    };
    const killed = countOn().catch((error: { code?: string }) => error.code);
    await until(async () => {
      // Not as the owner: a transaction reads one snapshot of the activity.
      const { rowCount } = await application.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%record_count%'`,
      );
      return rowCount === 1 ? true : undefined;
    });
    await owner.query('rollback');
    expect(await killed).toBe('57P01');
    await expectExactBeforeAndAfterCounting();
    expect(await total()).toBe(2);
  });
}
