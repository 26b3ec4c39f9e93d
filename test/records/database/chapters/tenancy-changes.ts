import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import pino from 'pino';
import { ClosingRepository } from '../../../../subgraphs/access/identity-links/closing.repository';
import { TenancyReferences1790000000021 } from '../../../../subgraphs/access/migrations/0021-tenancy-references';
import type { TenancyChange } from '../../../../subgraphs/access/operator/tenancy-change.repository';
import { purgeExpired } from '../../../../subgraphs/access/retention.module';
import { accessTables } from '../../../../subgraphs/access/tables.sql';
import { migrate } from '../../../../subgraphs/server/database/migrate';
import { databaseAddress } from '../../../../subgraphs/server/database/database-login';
import { outcomeOf } from '../../../support/access-database';
import {
  type OperatorFixture,
  type Organisation,
  newMeterPoint,
  operatorFixture,
} from '../../../support/operator-fixture';
import { freshDatabase } from '../../../support/postgres';
import { until } from '../../../support/until';

export function tenancyChanges(): void {
  const DAY = 86_400;
  /** Records that one change affects. The long form shows that the closing does not grow with their square. */
  const NAMED = process.env['TEST_LONG'] ? 50_000 : 2_000;

  let fixture: OperatorFixture;
  let larkhill: Organisation;
  let kestrel: Organisation;
  beforeAll(async () => {
    fixture = await operatorFixture();
    larkhill = await fixture.organisation('Larkhill Insight');
    kestrel = await fixture.organisation('Kestrel Switching');
  });
  afterEach(() => fixture.clock.setOffset(0));
  afterAll(() => fixture.close());

  const change = (meterPointId: string, more: Partial<TenancyChange> = {}): TenancyChange => ({
    id: randomUUID(),
    meterPointId,
    effectiveDate: '2026-09-01',
    ...more,
  });
  const rows = async (text: string, ...values: unknown[]) => (await fixture.tables.owner.query(text, values)).rows;
  const idOf = async (ak: string) => (await fixture.records.byKey(ak))?.id as string;
  const events = (id: string) =>
    rows('select type, duid, record_id, record_ids from event where change_id = $1 order by duid', id);

  describe('A Change of Tenancy', () => {
    it('is announced to each Data User with ACTIVE records at the meter point, with its own records only', async () => {
      const meterPoint = newMeterPoint();
      const own = [await fixture.register(larkhill, meterPoint), await fixture.register(larkhill, meterPoint)];
      const other = await fixture.register(kestrel, meterPoint);
      const announced = change(meterPoint);
      expect(await fixture.changes.announce(announced)).toEqual({
        activeRecordsAffected: 3,
        dataUsersNotified: [larkhill.duid, kestrel.duid].toSorted(),
      });
      const expected = [
        { type: 'tenancy.change', duid: larkhill.duid, record_id: null, record_ids: await Promise.all(own.map(idOf)) },
        { type: 'tenancy.change', duid: kestrel.duid, record_id: null, record_ids: [await idOf(other)] },
      ];
      expect(await events(announced.id)).toEqual(expected.toSorted((one, next) => one.duid.localeCompare(next.duid)));
    });

    it('affects no record that is not ACTIVE, is discovered or of another meter point, and notifies no Data User then', async () => {
      const meterPoint = newMeterPoint();
      await fixture.register(larkhill, newMeterPoint());
      await fixture.report(meterPoint);
      await fixture.records.revoke(larkhill, await fixture.register(larkhill, meterPoint), null, null);
      await fixture.register(kestrel, meterPoint, ({ accessEvent }) => {
        accessEvent.expiry = new Date(Date.now() + DAY * 1000);
      });
      await fixture.clock.setOffset(2 * DAY);
      const announced = change(meterPoint);
      expect(await fixture.changes.announce(announced)).toEqual({ activeRecordsAffected: 0, dataUsersNotified: [] });
      expect(await events(announced.id)).toEqual([]);
    });

    it('is not announced to a terminated Data User, which has no ACTIVE records', async () => {
      const meterPoint = newMeterPoint();
      const gone = await fixture.organisation('Fernhollow Flexibility');
      const paused = await fixture.organisation('Harbourlight Home');
      for (const organisation of [gone, paused, larkhill]) await fixture.register(organisation, meterPoint);
      const set = `update account set status = $2, suspended_at = case $2 when 'suspended' then register_now() end where duid = $1`;
      await rows(set, gone.duid, 'terminated');
      await rows(set, paused.duid, 'suspended');
      const announced = change(meterPoint);
      const notified = [larkhill.duid, paused.duid].toSorted();
      expect(await fixture.changes.announce(announced)).toEqual({
        activeRecordsAffected: 2,
        dataUsersNotified: notified,
      });
      expect((await events(announced.id)).map(({ duid }) => duid)).toEqual(notified);
      expect(await fixture.changes.announce(announced)).toEqual({
        activeRecordsAffected: 2,
        dataUsersNotified: notified,
      });
    });

    it('with records of terminated Data Users only notifies no Data User', async () => {
      const meterPoint = newMeterPoint();
      const gone = await fixture.organisation('Alderbrook Analytics');
      await fixture.register(gone, meterPoint);
      await rows(`update account set status = 'terminated' where duid = $1`, gone.duid);
      const announced = change(meterPoint);
      expect(await fixture.changes.announce(announced)).toEqual({ activeRecordsAffected: 0, dataUsersNotified: [] });
      expect(await events(announced.id)).toEqual([]);
    });

    it('revokes nothing', async () => {
      const meterPoint = newMeterPoint();
      const key = await fixture.register(larkhill, meterPoint);
      await fixture.changes.announce(change(meterPoint));
      expect((await fixture.records.byKey(key))?.state).toBe('ACTIVE');
    });

    it('is announced once, for repeats and concurrent calls, which return the first result', async () => {
      const meterPoint = newMeterPoint();
      await fixture.register(larkhill, meterPoint);
      const announced = change(meterPoint);
      const results = await Promise.all(Array.from({ length: 6 }, () => fixture.changes.announce(announced)));
      await fixture.register(kestrel, meterPoint);
      results.push(await fixture.changes.announce(announced));
      expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
      expect(await events(announced.id)).toHaveLength(1);
    });

    it('has one subject with every other of its meter point, by which that cannot be found', async () => {
      const [meterPoint, elsewhere] = [newMeterPoint(), newMeterPoint()];
      const announced = [change(meterPoint), change(meterPoint), change(elsewhere)];
      for (const each of announced) await fixture.changes.announce(each);
      const subjects = await rows(
        'select id, subject from tenancy_change where id = any($1)',
        announced.map(({ id }) => id),
      );
      const [one, same, other] = announced.map(({ id }) => subjects.find((row) => row.id === id).subject);
      expect(one).toBe(same);
      expect(one).not.toBe(other);
      const kept = JSON.stringify(await rows('select * from tenancy_change'));
      expect(kept).not.toContain(meterPoint);
    });

    it('does not contain records whose Identity Record was anonymised', async () => {
      const meterPoint = newMeterPoint();
      const identityRecordId = randomUUID();
      const own = [
        await fixture.register(larkhill, meterPoint),
        await fixture.register(larkhill, meterPoint, undefined, identityRecordId),
        await fixture.register(larkhill, meterPoint),
      ];
      const [first, gone, last] = await Promise.all(own.map(idOf));
      const announced = change(meterPoint);
      await fixture.changes.announce(announced);
      await fixture.records.revoke(larkhill, own[1] as string, null, null);
      expect(await new ClosingRepository(fixture.database).close(identityRecordId, larkhill.duid)).toBe('closed');
      expect((await events(announced.id)).map(({ record_ids }) => record_ids)).toEqual([[first, last]]);
      expect(JSON.stringify(await rows(`select record_ids from event where type = 'tenancy.change'`))).not.toContain(
        gone,
      );
    });

    it('loses records within the hour whose Identity Record was anonymised while it was announced', async () => {
      const meterPoint = newMeterPoint();
      const identityRecordId = randomUUID();
      const kept = await idOf(await fixture.register(larkhill, meterPoint));
      const key = await fixture.register(larkhill, meterPoint, undefined, identityRecordId);
      const gone = await idOf(key);
      const announced = change(meterPoint);
      const { owner, application } = fixture.tables;
      await application.query('begin');
      await application.query(
        `insert into tenancy_change (id, subject, effective_date, records_affected, duids) values ($1, $1, '2026-09-01', 0, '{}')`,
        [announced.id],
      );
      const announcing = fixture.changes.announce(announced);
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await until(async () => ((await owner.query(waiting)).rowCount === 1 ? true : undefined));
      await fixture.records.revoke(larkhill, key, null, null);
      expect(await new ClosingRepository(fixture.database).close(identityRecordId, larkhill.duid)).toBe('closed');
      await application.query('rollback');
      await announcing;
      const recordsOf = async () => (await events(announced.id)).map(({ record_ids }) => record_ids);
      expect(await recordsOf()).toEqual([[kept, gone]]);
      await purgeExpired(fixture.database, pino({ level: 'silent' }))();
      expect(await recordsOf()).toEqual([[kept]]);
    });

    it.each([
      ['another record', `record_ids = record_ids || gen_random_uuid()`],
      ['other facts', `occurred_at = occurred_at`, '42501'],
    ])('is not extended by %s afterwards', async (_, set, code = '23001') => {
      const meterPoint = newMeterPoint();
      await fixture.register(larkhill, meterPoint);
      await fixture.changes.announce(change(meterPoint));
      const { application } = fixture.tables;
      expect(await outcomeOf(application, () => application.query(`update event set ${set}`))).toBe(code);
    });

    it('has its effective date in notices', async () => {
      const announced = change(newMeterPoint(), { effectiveDate: '2027-02-28' });
      await fixture.changes.announce(announced);
      expect(await fixture.changes.effectiveDateOf(announced.id)).toBe('2027-02-28');
      expect(await fixture.changes.effectiveDateOf(randomUUID())).toBeUndefined();
    });

    it('of the previous release remains without its source reference, which `access` had stored', async () => {
      const fresh = await freshDatabase();
      const address = databaseAddress(fresh.url, 'access', Buffer.alloc(32, 1));
      const { migrations } = accessTables;
      const former = {
        ...accessTables,
        migrations: migrations.slice(0, migrations.indexOf(TenancyReferences1790000000021)),
      };
      await migrate(address, { ...former, rights: () => 'select', atStart: 'select' }, false, {});
      const owner = new Client({ connectionString: fresh.url, options: '-c search_path=access,register' });
      await owner.connect();
      try {
        const row = { id: randomUUID(), subject: randomUUID(), effective_date: '2026-09-01', records_affected: 2 };
        await owner.query(
          `insert into tenancy_change (id, subject, effective_date, source_reference_sealed, records_affected, duids)
           values ($1, $2, $3, 'a reference', $4, '{duid_1}')`,
          Object.values(row),
        );
        await migrate(address, accessTables, false, {});
        const text = `select to_jsonb(change) - 'recorded_at' as change from tenancy_change change`;
        expect((await owner.query(text)).rows).toEqual([{ change: { ...row, duids: ['duid_1'] } }]);
      } finally {
        await owner.end();
        await fresh.drop();
      }
    });

    it(`names no record of an anonymised Identity Record, also if it named ${NAMED} of them`, async () => {
      const identityRecordId = randomUUID();
      await rows(`set session_replication_role = 'replica'`);
      await rows(
        `with record as (
           insert into access_record (id, key_hash, key_sealed, duid, identity_record_id, identity_record_ref, state,
             legal_basis, registered_at, revoked_at, document)
           select gen_random_uuid(), uuid_send(gen_random_uuid()), '', $1, $2, 'ir', 'REVOKED', 'uk-contract', register_now(), register_now(), '{}'
           from generate_series(1, ${NAMED}) returning id)
         insert into event (type, duid, change_id, record_ids)
         select 'tenancy.change', $1, $2, array_agg(id) from record`,
        larkhill.duid,
        identityRecordId,
      );
      await rows(`set session_replication_role = 'origin'`);
      expect(await new ClosingRepository(fixture.database).close(identityRecordId, larkhill.duid)).toBe('closed');
      expect(await events(identityRecordId)).toMatchObject([{ record_ids: [] }]);
    });

    it.each([
      ['deleted', 'delete from tenancy_change'],
      ['changed', `update tenancy_change set duids = '{}'`],
    ])('is not %s, by whatever login', async (_, statement) => {
      await fixture.changes.announce(change(newMeterPoint()));
      const { application, owner } = fixture.tables;
      expect(await outcomeOf(application, () => application.query(statement))).toBe('42501');
      expect(await outcomeOf(owner, () => owner.query(statement))).toBe('23001');
    });
  });
}
