import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import pino from 'pino';
import { EventLog } from '../../../../subgraphs/access/events/event-log.queries';
import { TenancyChangeRepository } from '../../../../subgraphs/access/operator/tenancy-change.repository';
import { accessTables } from '../../../../subgraphs/access/tables.sql';
import { deliverWebhooks } from '../../../../subgraphs/access/webhooks/webhooks.module';
import { openDatabase } from '../../../../subgraphs/server/database/database';
import { RENEW_AT_CONNECT } from '../../../../subgraphs/server/event-log/event-era';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { migrate } from '../../../../subgraphs/server/database/migrate';
import { databaseAddress } from '../../../../subgraphs/server/database/database-login';
import { DUID } from '../../../support/access-database';
import { putWebhook, register } from '../../../support/event-rows';
import { type ControlledPostgres, controlledPostgres, freshDatabase } from '../../../support/postgres';
import { logSettled } from '../../../support/settled-log';
import { until } from '../../../support/until';

export function eventEpochs(): void {
  const copied = promisify(execFile);

  let server: ControlledPostgres;
  let url: string;
  const keys = { hashKey: randomBytes(32), encryptionKey: randomBytes(32) };
  beforeAll(async () => {
    server = await controlledPostgres();
    ({ url } = await freshDatabase(server));
  });
  afterAll(() => server.remove());

  const start = () => migrate(databaseAddress(url, 'access', keys.hashKey), accessTables, true, {});

  async function asOwner<Result>(work: (session: Client) => Promise<Result>): Promise<Result> {
    const session = new Client({ connectionString: url, options: '-c search_path=access,register' });
    session.on('error', () => undefined);
    await session.connect();
    try {
      return await work(session);
    } finally {
      await session.end();
    }
  }

  async function withLog<Result>(work: (log: EventLog) => Promise<Result>): Promise<Result> {
    const database = openDatabase(databaseAddress(url, 'access', keys.hashKey));
    try {
      return await work(new EventLog(database));
    } finally {
      await database.close();
    }
  }

  /** Registers records, one after the other; returns the cursor of the last event. */
  async function registered(count: number): Promise<string> {
    for (let n = 0; n < count; n++) await asOwner((session) => register(session));
    await asOwner(logSettled);
    return withLog(async (log) => (await log.latest({ types: null, duid: null }, 1))[0]?.cursor as string);
  }

  const one = async (text: string) => (await asOwner((session) => session.query(text))).rows[0];
  const era = async () => (await one('select event_era() as era')).era as string;

  describe('A database on another timeline than its log', () => {
    it('starts an epoch of its own: no cursor of lost events skips new ones', async () => {
      await start();
      await asOwner((session) =>
        session.query(
          `insert into account (account_id, role, display_name, duid, contact_url)
         values ($1, 'data_user', 'Harbourlight', $2, 'https://harbourlight.example/contact')`,
          [`acc_${'0'.repeat(24)}`, DUID],
        ),
      );
      const kept = await registered(2);
      const before = await era();
      await start();
      expect(await era()).toBe(before); // a restart alone starts no epoch
      const folder = (await one('show data_directory')).data_directory as string;
      await server.stop();
      await copied('cp', ['-a', folder, `${folder}-lagging`]);
      await server.start();
      const lost = await registered(4);
      await server.stop();

      // The copy replaces the database, like a promoted standby.
      await copied('rm', ['-r', folder]);
      await copied('mv', [`${folder}-lagging`, folder]);
      await writeFile(join(folder, 'standby.signal'), '');
      await server.start();
      expect((await one('select pg_promote(true, 30) as done')).done).toBe(true);

      // The new timeline has not reached the transaction of the cursor yet: the cursor is rejected.
      await withLog(async (log) => {
        await expect(log.follow({ types: null, duid: null }, lost, 10)).rejects.toMatchObject({ code: 'VAL001' });
      });
      await start();
      expect(Number(await era())).toBeGreaterThan(Number(before));
      const renewed = await era();
      await start();
      expect(await era()).toBe(renewed);

      await registered(1);
      await withLog(async (log) => {
        for (const cursor of [kept, lost])
          expect((await log.follow({ types: null, duid: null }, cursor, 10)).entries).toHaveLength(1);
      });
    });

    it('is detected although sessions were requested while the server was a standby', async () => {
      await start();
      const before = await era();
      const folder = (await one('show data_directory')).data_directory as string;
      await server.stop();
      await writeFile(join(folder, 'standby.signal'), '');
      await server.start();
      const database = openDatabase(databaseAddress(url, 'access', keys.hashKey), RENEW_AT_CONNECT);
      const read = async () => (await database.pool.query('select event_era() as era')).rows[0].era as string;
      await expect(read()).rejects.toMatchObject({ code: '25006' });
      expect((await one('select pg_promote(true, 30) as done')).done).toBe(true);
      expect(Number(await read())).toBeGreaterThan(Number(before));
      await database.close();
    });

    it('is detected by the first session, without a restart', async () => {
      await start();
      const before = await era();
      await asOwner((session) => session.query('update event_timeline set timeline = timeline + 1'));
      const open = () => openDatabase(databaseAddress(url, 'access', keys.hashKey), RENEW_AT_CONNECT);
      const databases = await Promise.all([open(), open()]);
      const eras = await Promise.all(
        databases.map(async ({ pool }) => (await pool.query('select event_era() as era')).rows[0].era),
      );
      const renewed = await era();
      expect(Number(renewed)).toBeGreaterThan(Number(before));
      expect(eras).toEqual([renewed, renewed]); // one of the concurrent sessions has started the epoch, the other uses it
      await Promise.all(databases.map((each) => each.close()));
    });

    it('is detected by the fan-out of deliveries, before it writes a notice of an expiry', async () => {
      await start();
      await asOwner(async (session) => {
        await putWebhook(session);
        await register(session, { expiresIn: '10 days' });
        await session.query('update event_timeline set timeline = timeline + 1');
      });
      const before = await era();
      const address = databaseAddress(url, 'access', keys.hashKey);
      const database = openDatabase(address); // its sessions detect nothing
      const deliveries = await deliverWebhooks({
        address,
        database,
        keys,
        identity: { name: 'identity', execute: () => Promise.reject(new Error('no service is started')) },
        changes: new TenancyChangeRepository(database, keyedHash(keys.hashKey, 'tenancy-change')),
        mail: { smtpUrl: undefined, mailFrom: 'register@register.example' },
        allowLoopback: false,
        production: false,
        logger: pino({ level: 'silent' }),
      });
      const notice = await until(() => one(`select era from event where type = 'consent.expiring'`));
      await deliveries.stop();
      await database.close();
      expect(Number(notice.era)).toBeGreaterThan(Number(before));
    });

    it('is not detected if the owner may not read the timeline: the register still starts', async () => {
      await asOwner(async (session) => {
        await session.query(`create role plain login createrole password 'plain'`);
        await session.query('create database plain owner plain');
      });
      const plain = new URL(url);
      plain.pathname = '/plain';
      const superuser = new Client({ connectionString: plain.href });
      await superuser.connect();
      await superuser.query('revoke execute on function pg_walfile_name(pg_lsn) from public');
      [plain.username, plain.password] = ['plain', 'plain'];
      for (let starts = 0; starts < 2; starts++)
        await migrate(databaseAddress(plain.href, 'access', keys.hashKey), accessTables, true, {});
      const { rows } = await superuser.query('select from access.event_timeline');
      await superuser.end();
      expect(rows).toEqual([]);
    });
  });
}
