import { randomBytes, randomUUID } from 'node:crypto';
import pino from 'pino';
import { consumeToken, isTokenRejected } from '../../../../subgraphs/access/identity-links/redeemed-token.repository';
import { purgeExpired } from '../../../../subgraphs/access/retention.module';
import { type Database, openDatabase, openPool, sessionOptions } from '../../../../subgraphs/server/database/database';
import { AccountAdmission } from '../../../../subgraphs/access/accounts/account-admission.queries';
import { replaceSecret } from '../../../../subgraphs/access/accounts/account-secret.repository';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { inTransaction } from '../../../../subgraphs/server/database/transaction';
import { expiredIdempotencyKeys } from '../../../../subgraphs/server/idempotency';
import { type RegisterClock, registerClock } from '../../../../subgraphs/server/database/register-clock';
import { purgePeriodically } from '../../../../subgraphs/server/retention';
import { type AccessDatabase, accessDatabase, jumpedClock } from '../../../support/access-database';
import { putRecord } from '../../../support/access-rows';
import { until } from '../../../support/until';

export function retention(): void {
  const DAY = 86_400;

  describe('Rows with a retention period', () => {
    let tables: AccessDatabase;
    let database: Database;
    let clock: RegisterClock;
    let logged: string[];
    beforeAll(async () => {
      tables = await accessDatabase();
      database = openDatabase(tables.address);
      clock = registerClock(database);
    });
    beforeEach(async () => {
      logged = [];
      await tables.owner.query('delete from look');
    });
    afterEach(() => clock.setOffset(0));
    afterAll(async () => {
      await database.close();
      await tables.close();
    });

    const startForgetting = () =>
      purgeExpired(database, pino({ level: 'error' }, { write: (line: string) => void logged.push(line) }));
    const runPurge = () => startForgetting()();
    const rowsOf = async (table: string) => (await tables.owner.query(`select * from ${table}`)).rows;
    const putLookup = (id: string, age: string) =>
      tables.owner.query(
        `insert into look (record_id, kind, hour, count) values ($1, 'listing', register_now() - interval '${age}', 1)`,
        [id],
      );

    it('are lookup counts: 13 months, and until the Identity Record of the record is closed', async () => {
      const identityRecordId = randomUUID();
      const [id, gone] = [
        await putRecord(tables.owner),
        await putRecord(tables.owner, { meterPointId: null, identityRecordId }),
      ];
      await tables.owner.query('insert into closed_identity_link (identity_record_id) values ($1)', [identityRecordId]);
      await putLookup(id, '13 months 1 hour');
      await putLookup(id, '13 months -1 hour');
      await putLookup(gone, '1 hour');
      await runPurge();
      expect(await rowsOf('look')).toEqual([expect.objectContaining({ record_id: id })]);
      expect(logged).toEqual([]);
    });

    it('are not deleted while the clock of the database is years ahead of that of the process: an error is logged', async () => {
      await putLookup(randomUUID(), '1 day');
      const correct = await jumpedClock(tables.owner, '2 years');
      await runPurge().finally(correct);
      expect(await rowsOf('look')).toHaveLength(1);
      expect(logged.map((line) => JSON.parse(line))).toMatchObject([
        { level: 50, msg: 'background work failed', failure: { code: 'CLOCKS_DIFFER' } },
      ]);
      logged = [];
      await runPurge();
      expect([await rowsOf('look'), logged]).toMatchObject([[{}], []]);
    });

    it('are forgotten in batches until none is left', async () => {
      await tables.owner.query(
        `insert into look (record_id, kind, hour, count)
       select gen_random_uuid(), 'listing', register_now() - interval '14 months', 1 from generate_series(1, 20001)`,
      );
      const stop = startForgetting();
      await until(async () => ((await rowsOf('look')).length === 0 ? true : undefined));
      await stop();
      expect(logged).toEqual([]);
    });

    /** Adds stored responses; the first `live` of them have not expired, the others one second after the other. */
    const addResponses = async (count: number, live: number) => {
      await tables.owner.query('delete from idempotency_key');
      await tables.owner.query(
        `insert into idempotency_key (account_id, operation, key_hash, body_hash, answer, expires_at)
         select 'acc', 'operation', decode(lpad(to_hex(n), 8, '0'), 'hex'), '\\x01', '\\x01',
           register_now() + case when n <= $2 then interval '1 hour' else - n * interval '1 second' end
         from generate_series(1, $1::int) n`,
        [count, live],
      );
    };
    it('are not deleted by a run during which the clock jumps', async () => {
      await addResponses(1, 1);
      const deleteExpired = expiredIdempotencyKeys(database.pool);
      const correct = await jumpedClock(tables.owner, '90 minutes');
      expect(await deleteExpired().finally(correct)).toBe(0);
      await clock.setOffset(5_400);
      expect(await deleteExpired().finally(() => clock.setOffset(0))).toBe(1);
    });

    /** Deletes expired responses until so many rows are left. */
    const purgeResponses = async (pool: Pick<Database['pool'], 'query'>, left: number) => {
      const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
      const stop = purgePeriodically(database.pool, [expiredIdempotencyKeys(pool as Database['pool'])], 3_600, logger);
      await until(async () => ((await rowsOf('idempotency_key')).length === left ? true : undefined));
      await stop();
      expect(logged).toEqual([]);
    };

    it('are stored responses, deleted in short statements that each start where the last one ended', async () => {
      await addResponses(12_002, 1);
      const statements: { deleted: number; from: unknown }[] = [];
      const recorded = {
        query: async (statement: { text: string; values: unknown[] }) => {
          const result = await database.pool.query<{ count: number }>(statement);
          statements.push({ deleted: result.rows[0]?.count ?? 0, from: statement.values[2] });
          return result;
        },
      } as unknown as Database['pool'];
      await purgeResponses(recorded, 1);
      const counts = statements.map(({ deleted }) => deleted);
      // Over partitions, a statement also deletes expired rows at the same places of other partitions.
      expect(Math.max(...counts)).toBeLessThan(10_000);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12_001);
      const starts = statements.slice(1, counts.indexOf(0)).map(({ from }) => Date.parse(from as string));
      expect(statements[0]?.from).toBeUndefined();
      expect([...new Set(starts)].toSorted((one, other) => one - other)).toEqual(starts);
    });

    it('are deleted also where a statement of the usual size exceeds the statement timeout', async () => {
      await addResponses(400, 0);
      await tables.owner.query(`
        create function delay_deletion() returns trigger language plpgsql as $$ begin perform pg_sleep(0.005); return old; end $$;
        create trigger delay before delete on idempotency_key for each row execute function delay_deletion()`);
      const pool = openPool({ ...sessionOptions(tables.address, '-c statement_timeout=400'), max: 1 });
      try {
        await purgeResponses(pool, 0);
      } finally {
        await pool.end();
        await tables.owner.query('drop function delay_deletion() cascade');
      }
    });

    it('are not deleted when a concurrent request renews them', async () => {
      await addResponses(1, 0);
      await tables.application.query('begin');
      await tables.application.query(`update idempotency_key set expires_at = register_now() + interval '1 hour'`);
      const purge = expiredIdempotencyKeys(database.pool)();
      await until(async () => {
        const { rows } = await tables.owner.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length > 0 ? true : undefined;
      });
      await tables.application.query('commit');
      expect(await purge).toBe(0);
      expect(await rowsOf('idempotency_key')).toHaveLength(1);
    });

    it('are deleted kind by kind: a failure of one does not affect the others', async () => {
      await tables.owner.query(
        `insert into consumed_token (token_hash, consumed_at, expires_at)
       values ($1, register_now() - interval '33 days', register_now() - interval '32 days')`,
        [randomBytes(32)],
      );
      await tables.owner.query('alter table portal_alias rename to away');
      try {
        await runPurge();
      } finally {
        await tables.owner.query('alter table away rename to portal_alias');
      }
      expect(await rowsOf('consumed_token')).toEqual([]);
      expect(logged).toHaveLength(2); // expired aliases, and those ahead
    });

    it('are secrets that were replaced while the clock was ahead: they are valid for 24 hours once it is set back', async () => {
      const hashOf = keyedHash(randomBytes(32), 'account-secret');
      const accounts = new AccountAdmission(database, hashOf);
      const [{ account_id: accountId }] = await rowsOf('account');
      const replaced = async () => {
        const kind = { kind: 'sign-in', revokePrevious: false } as const;
        return (await inTransaction(database.pool, (session) => replaceSecret(session, accountId, kind, hashOf)))
          .secretKey;
      };
      const former = await replaced();
      const signsIn = async () => (await accounts.bySecret(accountId, former)) !== undefined;
      await clock.setOffset(30 * DAY);
      await replaced();
      await clock.setOffset(0);
      await runPurge();
      expect(await signsIn()).toBe(true);
      await clock.setOffset(DAY - 60);
      expect(await signsIn()).toBe(true);
      await clock.setOffset(DAY + 3_600);
      expect(await signsIn()).toBe(false);
    });

    it('are redeemed tokens: after a clock moves back none can be redeemed again while its re-identification is stored', async () => {
      const token = { hash: randomBytes(32), expiresAt: new Date((await clock.now()).getTime() + 3_600_000) };
      await consumeToken(database.pool, token);
      await clock.setOffset(30 * DAY + 7_200); // `identity` forgets the re-identification now
      await runPurge();
      await clock.setOffset(0);
      const again = await consumeToken(database.pool, token).catch(isTokenRejected);
      expect(again).toBe(true);
      await clock.setOffset(31 * DAY + 7_200);
      await runPurge();
      expect(await rowsOf('consumed_token')).toEqual([]);
    });
  });
}
