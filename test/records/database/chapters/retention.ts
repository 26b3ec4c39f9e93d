import { randomBytes, randomUUID } from 'node:crypto';
import pino from 'pino';
import { consumeToken, isSpentToken } from '../../../../subgraphs/access/database/consumed-token';
import { forgetWhatHasPassed } from '../../../../subgraphs/access/database/forgetting';
import { type Database, openDatabase } from '../../../../subgraphs/server/database';
import { passedIdempotencyKeys } from '../../../../subgraphs/server/idempotency';
import { type RegisterClock, registerClock } from '../../../../subgraphs/server/register-clock';
import { forgetPassed } from '../../../../subgraphs/server/retention';
import { type AccessDatabase, accessDatabase } from '../../../support/access-database';
import { putRecord } from '../../../support/access-rows';
import { until } from '../../../support/until';

export function retention(): void {
  const DAY = 86_400;

  describe('What is kept for a time only', () => {
    let tables: AccessDatabase;
    let database: Database;
    let clock: RegisterClock;
    let logged: string[];
    beforeAll(async () => {
      tables = await accessDatabase();
      database = await openDatabase(tables.address, []);
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
      forgetWhatHasPassed(database, pino({ level: 'error' }, { write: (line: string) => void logged.push(line) }));
    const forget = () => startForgetting()();
    const rowsOf = async (table: string) => (await tables.owner.query(`select * from ${table}`)).rows;
    const lookAt = (id: string, age: string) =>
      tables.owner.query(
        `insert into look (record_id, kind, hour, count) values ($1, 'listing', register_now() - interval '${age}', 1)`,
        [id],
      );

    it('are looks: 13 months, and until the Identity Record of the record is closed', async () => {
      const identityRecordId = randomUUID();
      const [id, gone] = [
        await putRecord(tables.owner),
        await putRecord(tables.owner, { meterPointId: null, identityRecordId }),
      ];
      await tables.owner.query('insert into closed_identity_link (identity_record_id) values ($1)', [identityRecordId]);
      await lookAt(id, '13 months 1 hour');
      await lookAt(id, '12 months 27 days');
      await lookAt(gone, '1 hour');
      await forget();
      expect(await rowsOf('look')).toEqual([expect.objectContaining({ record_id: id })]);
      expect(logged).toEqual([]);
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

    it('are answers under idempotency keys, forgotten in short statements: none takes more than some thousands', async () => {
      await tables.owner.query(
        `insert into idempotency_key (account_id, operation, key_hash, body_hash, answer, expires_at)
         select 'acc', 'operation', decode(lpad(to_hex(n), 8, '0'), 'hex'), '\\x01', '\\x01',
           register_now() + case when n = 1 then interval '1 hour' else interval '-1 hour' end from generate_series(1, 12002) n`,
      );
      const counts: (number | null)[] = [];
      const counted = {
        query: async (text: string) => {
          const answer = await database.pool.query(text);
          counts.push(answer.rowCount);
          return answer;
        },
      } as unknown as Database['pool'];
      const isDone = async () => ((await rowsOf('idempotency_key')).length === 1 ? true : undefined);
      const stop = forgetPassed([passedIdempotencyKeys(counted)], 3_600, pino({ level: 'silent' }));
      await until(isDone);
      await stop();
      expect(counts.slice(0, 3)).toEqual([5_000, 5_000, 2_001]);
    });

    it('are forgotten each by itself: what fails does not keep the others', async () => {
      await tables.owner.query(
        `insert into consumed_token (token_hash, consumed_at, expires_at)
       values ($1, register_now() - interval '33 days', register_now() - interval '32 days')`,
        [randomBytes(32)],
      );
      await tables.owner.query('alter table portal_alias rename to away');
      try {
        await forget();
      } finally {
        await tables.owner.query('alter table away rename to portal_alias');
      }
      expect(await rowsOf('consumed_token')).toEqual([]);
      expect(logged).toHaveLength(1);
    });

    it('are redeemed tokens: a clock that jumps back lets none be redeemed again while its re-identification is kept', async () => {
      const token = { hash: randomBytes(32), expiresAt: new Date((await clock.now()).getTime() + 3_600_000) };
      await consumeToken(database.pool, token);
      await clock.setOffset(30 * DAY + 7_200); // `identity` forgets the re-identification now
      await forget();
      await clock.setOffset(0);
      const again = await consumeToken(database.pool, token).catch(isSpentToken);
      expect(again).toBe(true);
      await clock.setOffset(31 * DAY + 7_200);
      await forget();
      expect(await rowsOf('consumed_token')).toEqual([]);
    });
  });
}
