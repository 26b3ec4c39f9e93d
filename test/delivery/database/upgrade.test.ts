import { Client, Pool } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Outbox1790000000014 } from '../../../subgraphs/access/migrations/0014-outbox';
import { accessTables } from '../../../subgraphs/access/tables.sql';
import { CREATE_DELIVERIES } from '../../../subgraphs/delivery/released-sql';
import { REPLACE_DELIVERIES } from '../../../subgraphs/delivery/tables.sql';
import { migrate } from '../../../subgraphs/server/database/migrate';
import { databaseAddress } from '../../../subgraphs/server/database/database-login';
import { DUID } from '../../support/access-database';
import { deliveriesOf, end, putWebhook, register } from '../../support/event-rows';
import { freshDatabase } from '../../support/postgres';

const [BUSY, DONE] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];

const ROWS = `
  insert into delivery_lane values ('${BUSY}', 'record', 7);
  insert into delivery (endpoint_id, event_id, subject, sequence, slot, urgent, state, attempt, next_attempt_at, ended_at) values
    ('${BUSY}', 'tried', 'record', 6, 1, false, 'pending', 2, '2031-01-01T12:00:00Z', null),
    ('${BUSY}', 'urgent', 'record', 7, 1, true, 'pending', 0, '2031-01-01T11:00:00Z', null),
    ('${DONE}', 'ended', 'record', 1, 1, false, 'delivered', 1, '2031-01-01T10:00:00Z', '2031-01-01T10:00:01Z');
  insert into delivery_attempt values
    ('${BUSY}', 'tried', 2, '2031-01-01T09:05:00Z', null, 10000, 'timeout'),
    ('${BUSY}', 'tried', 1, '2031-01-01T09:00:00Z', 503, 20, 'refused-status'),
    ('${DONE}', 'ended', 1, '2031-01-01T10:00:00Z', 204, 5, null)`;

class Before1790000000001 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = trial, register');
    for (const part of [CREATE_DELIVERIES('trial_jobs'), ROWS]) await session.query(part);
  }

  down = () => Promise.reject(new Error('trials go forward'));
}

class After1790000000002 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = trial, register');
    await session.query(
      'create function receivers_of(event text, only_endpoint uuid) returns setof uuid language sql as $$ select $2 $$',
    );
    await session.query(REPLACE_DELIVERIES());
  }

  down = () => Promise.reject(new Error('trials go forward'));
}

describe('An upgrade of the tables of deliveries', () => {
  it('retains pending and ended deliveries with their attempts, schedules due ones, and continues the sequences of lanes', async () => {
    const database = await freshDatabase();
    const address = databaseAddress(database.url, 'trial', Buffer.alloc(32, 9));
    const tables = { rights: () => 'select' };
    await migrate(address, { ...tables, migrations: [Before1790000000001] }, false, {});
    await migrate(address, { ...tables, migrations: [Before1790000000001, After1790000000002] }, false, {});
    const pool = new Pool({ connectionString: database.url, options: '-c search_path=trial,register -c timezone=UTC' });
    try {
      const all = async (text: string) => (await pool.query(text)).rows;
      expect(await all('select event_id, sequence, state, attempt, attempts from delivery order by event_id')).toEqual([
        {
          ...{ event_id: 'ended', sequence: 1, state: 'delivered', attempt: 1 },
          attempts: [{ at: expect.stringMatching(/^2031-01-01T/), status: 204, durationMs: 5, error: null }],
        },
        {
          ...{ event_id: 'tried', sequence: 6, state: 'pending', attempt: 2 },
          attempts: [
            { at: expect.any(String), status: 503, durationMs: 20, error: 'refused-status' },
            { at: expect.any(String), status: null, durationMs: 10_000, error: 'timeout' },
          ],
        },
        { event_id: 'urgent', sequence: 7, state: 'pending', attempt: 0, attempts: [] },
      ]);
      expect(await all('select id, due_at, urgent from delivery_endpoint')).toEqual([
        { id: BUSY, due_at: new Date('2031-01-01T11:00:00Z'), urgent: true },
      ]);
      await pool.query(`delete from delivery where sequence = 7`);
      await pool.query(`insert into fanout (event_id, subject, endpoint_id) values ('next', 'record', '${BUSY}')`);
      expect(await all('select * from fan_out(10)')).toEqual([{ events: 1, deliveries: 1 }]);
      expect(await all(`select sequence from delivery where event_id = 'next'`)).toEqual([{ sequence: 8 }]);
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});

describe('An upgrade of a register with deliveries of the former engine', () => {
  const { migrations } = accessTables;
  const former = {
    ...accessTables,
    migrations: migrations.slice(0, migrations.indexOf(Outbox1790000000014)),
    rights: () => 'select',
    atStart: 'select',
  };
  const JOBS = `select from access_jobs.jobs where task_identifier like 'deliver%'`;

  it('ends its jobs, and a withdrawal supersedes a waiting notice of expiry', async () => {
    const database = await freshDatabase();
    const address = databaseAddress(database.url, 'access', Buffer.alloc(32, 1));
    await migrate(address, former, false, {});
    const owner = new Client({ connectionString: database.url, options: '-c search_path=access,register' });
    await owner.connect();
    try {
      await owner.query(
        `insert into account (account_id, role, display_name, duid, contact_url)
         values ($1, 'data_user', 'Harbourlight', $2, 'https://harbourlight.example/contact')`,
        [`acc_${'0'.repeat(24)}`, DUID],
      );
      const webhook = await putWebhook(owner);
      const [waiting, ended] = [
        await register(owner, { expiresIn: '5 days' }),
        await register(owner, { expiresIn: '5 days' }),
      ];
      await end(owner, ended, 'withdrawn');
      expect((await owner.query(JOBS)).rowCount).toBeGreaterThan(0);
      await migrate(address, accessTables, false, {});
      expect((await owner.query(JOBS)).rowCount).toBe(0);
      await end(owner, waiting, 'withdrawn');
      expect((await owner.query('select subject from fanout')).rows).toEqual([{ subject: waiting }]);
      for (const record of [waiting, ended]) {
        expect(await deliveriesOf(owner, webhook, record)).toEqual([
          'consent.expiring superseded',
          'consent.withdrawal pending',
        ]);
      }
    } finally {
      await owner.end();
      await database.drop();
    }
  });
});
