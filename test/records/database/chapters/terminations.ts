import pino from 'pino';
import { AccessRecordQueries } from '../../../../subgraphs/access/records/access-record.queries';
import { AccountRepository } from '../../../../subgraphs/access/accounts/account.repository';
import { CustomerRecordRepository } from '../../../../subgraphs/access/customers/customer-record.repository';
import { RecordHistory } from '../../../../subgraphs/access/records/record-history.queries';
import { TerminationRepository } from '../../../../subgraphs/access/accounts/termination.repository';
import {
  expireDueRecords,
  announceExpiring,
  revokeOfTerminated,
  startSweeps,
} from '../../../../subgraphs/access/records/sweeps.module';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { fanOutAll, putWebhook } from '../../../support/event-rows';
import { type OperatorFixture, newMeterPoint, operatorFixture } from '../../../support/operator-fixture';
import { untilOneWaits } from '../../../support/lock-waiters';
import { until } from '../../../support/until';

export function terminations(): void {
  const ADMIN = `acc_${'a'.repeat(24)}`;
  const HOUR = 3_600;
  let fixture: OperatorFixture;
  let accounts: AccountRepository;
  beforeAll(async () => {
    fixture = await operatorFixture();
    accounts = new AccountRepository(
      fixture.database,
      keyedHash(Buffer.alloc(32, 1), 'account-secret'),
      Buffer.alloc(32, 2),
    );
  });
  afterEach(() => fixture.clock.setOffset(0));
  afterAll(() => fixture?.close());

  const rows = async (text: string, ...values: unknown[]) => (await fixture.tables.owner.query(text, values)).rows;
  const terminate = ({ accountId }: { accountId: string }) => accounts.changeStatus(ADMIN, accountId, 'terminate');
  const sweep = () => revokeOfTerminated(fixture.database.pool, () => false);
  const stored = async (id: string) => (await rows('select state from access_record where id = $1', id))[0].state;
  const recordOf = async (key: string) => {
    const record = await fixture.records.byKey(key);
    if (!record) throw new Error('there is no such record');
    return record;
  };
  const transitionsOf = async (id: string) =>
    (await new RecordHistory(fixture.database).transitions(id, { first: 10, after: null })).edges.map(
      ({ node }) => node,
    );
  const progress = ({ duid }: { duid: string }) => new TerminationRepository(fixture.database).progress(duid);

  describe('A termination that is recorded while the clock is ahead', () => {
    it('ends the records also after the clock is set back, and dates their revocation by it', async () => {
      const organisation = await fixture.organisation('Sallow Meters');
      const key = await fixture.register(organisation, newMeterPoint(), ({ accessEvent }) => {
        accessEvent.expiry = new Date(Date.now() + HOUR * 1_000);
      });
      const { id } = await recordOf(key);
      await fixture.clock.setOffset(2 * HOUR);
      await terminate(organisation);
      await fixture.clock.setOffset(0);
      expect((await recordOf(key)).accessEvent.state).toBe('REVOKED');
      expect(await progress(organisation)).toMatchObject({ recordsRevoked: 0, recordsRemaining: 1 });
      await sweep();
      expect(await stored(id)).toBe('REVOKED');
      expect((await transitionsOf(id)).at(-1)).toMatchObject({ to: 'REVOKED', cause: 'data-user-terminated' });
      const { revokedAt } = (await recordOf(key)).accessEvent;
      expect(revokedAt?.getTime()).toBeLessThan(Date.now() + HOUR * 1_000);
      expect(await progress(organisation)).toMatchObject({ recordsRemaining: 0 });
    });
  });

  describe('A change of status', () => {
    it('and an onboarding do not wait for those of other accounts', async () => {
      const { accountId } = await fixture.organisation('Sallow Meters');
      const { owner } = fixture.tables;
      await owner.query('begin');
      try {
        await fixture.organisation('Alderbrook'); // in the transaction that remains open
        await accounts.onboard(ADMIN, { role: 'analyst', displayName: 'Harbourlight' });
        await accounts.changeStatus(ADMIN, accountId, 'suspend');
      } finally {
        await owner.query('rollback');
      }
    });

    it.each(['reactivate', 'terminate'] as const)(
      'waits for a fan-out that wakes subscriptions of the account in another order (%s)',
      async (change) => {
        const { accountId, duid } = await fixture.organisation('Sallow Meters');
        if (change === 'reactivate') await accounts.changeStatus(ADMIN, accountId, 'suspend');
        const { owner, application } = fixture.tables;
        const webhooks = [await putWebhook(application, { duid }), await putWebhook(application, { duid })].toSorted();
        const planNotice = async (webhook: string | undefined) => {
          await application.query(
            `insert into event (type, duid, record_id, webhook_id, expiry, days_remaining)
             values ('consent.expiring', $1, gen_random_uuid(), $2, register_now() + interval '1 day', 1)`,
            [duid, webhook],
          );
          await owner.query('select from fan_out(250)');
        };
        await owner.query('begin');
        await planNotice(webhooks[1]);
        const changed = accounts.changeStatus(ADMIN, accountId, change).catch((error: Error) => error);
        await until(async () => {
          const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
          return (await application.query(waiting)).rowCount || undefined;
        });
        const planned = await planNotice(webhooks[0]).catch((error: Error) => error);
        await owner.query('commit');
        expect(planned).toBeUndefined();
        expect(await changed).toMatchObject({ status: change === 'terminate' ? 'terminated' : 'active' });
      },
    );
  });

  describe('From the instant of a termination', () => {
    it('every read returns REVOKED, before and after the transitions are stored', async () => {
      const [meterPoint, organisation] = [newMeterPoint(), await fixture.organisation('Alderbrook Analytics')];
      const key = await fixture.register(organisation, meterPoint);
      await terminate(organisation);
      const [{ at }] = await rows('select terminated_at as at from account where duid = $1', organisation.duid);
      const { id } = await recordOf(key);
      const lists = new AccessRecordQueries(fixture.database);
      const all = { duid: organisation.duid, meterPointId: null, legalBasis: null };
      const scope = {
        meterPointId: meterPoint,
        ownRecordIds: [],
        isCurrent: true,
        isContested: false,
        since: '2020-01-01',
        beganAt: null,
        endedAt: null,
      };
      const customers = new CustomerRecordRepository(fixture.database);
      const page = { first: 10, after: null };
      const read = async () => {
        const { accessEvent } = await recordOf(key);
        const history = (await customers.page(scope, 'history', page)).nodes;
        return {
          verified: [accessEvent.state, accessEvent.revokedAt],
          listed: [
            await lists.count({ ...all, state: 'REVOKED' }),
            await lists.count({ ...all, state: 'ACTIVE' }),
            (await lists.page({ ...all, state: null }, page, ADMIN)).nodes.map(({ state }) => state),
          ],
          shown: [(await customers.page(scope, 'current', page)).nodes.length, history.map(({ state }) => state)],
          transitions: (await transitionsOf(id)).map(({ to, cause, at: when }) => [
            to,
            cause,
            cause === 'registered' || when,
          ]),
        };
      };
      const expected = {
        verified: ['REVOKED', at],
        listed: [1, 0, ['REVOKED']],
        shown: [0, ['REVOKED']],
        transitions: [
          ['ACTIVE', 'registered', true],
          ['REVOKED', 'data-user-terminated', at],
        ],
      };
      expect([await stored(id), await read()]).toEqual(['ACTIVE', expected]);
      await sweep();
      expect([await stored(id), await read()]).toEqual(['REVOKED', expected]);
      const events = await rows(
        'select type, occurred_at from access.event where record_id = $1 order by position',
        id,
      );
      expect(events.at(-1)).toEqual({ type: 'access.revoked', occurred_at: at });
    });

    it('records cannot be changed, withdrawn or claimed with, and their expiry changes nothing', async () => {
      const [meterPoint, organisation] = [newMeterPoint(), await fixture.organisation('Alderbrook', 'ORG-9')];
      const key = await fixture.register(organisation, meterPoint, ({ accessEvent }) => {
        accessEvent.expiry = new Date(Date.now() + HOUR * 1000);
      });
      await terminate(organisation);
      await expect(fixture.records.revoke(organisation, key, null, null)).rejects.toMatchObject({ code: 'AUT001' });
      expect(await fixture.report(meterPoint, { organisationReference: 'ORG-9' })).toMatchObject({
        state: 'DISCOVERED',
      });
      expect(
        await rows('select from access_record where meter_point_id = $1 and claimed_at is not null', meterPoint),
      ).toEqual([]);
      await fixture.clock.setOffset(2 * HOUR);
      await expireDueRecords(fixture.database.pool, () => false);
      expect((await recordOf(key)).state).toBe('REVOKED');
      await sweep();
      expect((await recordOf(key)).state).toBe('REVOKED');
    });

    it('no notice of an expiry is written, before and after the transitions are stored', async () => {
      const { owner } = fixture.tables;
      const organisation = await fixture.organisation('Alderbrook');
      const expiringRecord = () =>
        fixture.register(organisation, newMeterPoint(), ({ accessEvent, processing }) => {
          processing.legalBasis = 'uk-consent';
          accessEvent.expiry = new Date(Date.now() + HOUR * 1000);
        });
      await expiringRecord();
      await fanOutAll(owner);
      const webhook = await putWebhook(fixture.tables.application, { duid: organisation.duid });
      await expiringRecord(); // its notices are planned by the fan-out after the termination
      await terminate(organisation);
      const notices = async () => {
        await announceExpiring(fixture.database.pool, () => false);
        await fanOutAll(owner);
        return rows(`select from access.event where type = 'consent.expiring' and webhook_id = $1`, webhook);
      };
      expect(await notices()).toEqual([]);
      await sweep();
      expect(await notices()).toEqual([]);
    });

    it('two Data Users that are terminated at once both read REVOKED, the second from its turn on', async () => {
      const organisations = [await fixture.organisation('Alderbrook'), await fixture.organisation('Harbourlight')];
      const keys = await Promise.all(
        organisations.map((organisation) => fixture.register(organisation, newMeterPoint())),
      );
      const { owner } = fixture.tables;
      await owner.query('begin');
      await owner.query("update access.account set status = 'terminated' where duid = $1", [organisations[0]?.duid]);
      const second = terminate(organisations[1] as { accountId: string });
      await untilOneWaits(owner, second).catch(async (error: unknown) => {
        await owner.query('rollback');
        throw error;
      });
      const before = await fixture.clock.now();
      await owner.query('commit');
      await second;
      expect((await progress(organisations[1] as { duid: string }))?.at.getTime()).toBeGreaterThanOrEqual(
        before.getTime(),
      );
      const states = await Promise.all(keys.map(async (key) => (await recordOf(key)).accessEvent.state));
      expect(states).toEqual(['REVOKED', 'REVOKED']);
    });

    it('expired records remain EXPIRED, and records of other Data Users do not change', async () => {
      const [gone, other] = [await fixture.organisation('Alderbrook'), await fixture.organisation('Harbourlight')];
      const expired = await fixture.register(gone, newMeterPoint(), ({ accessEvent }) => {
        accessEvent.expiry = new Date(Date.now() + HOUR * 1000);
      });
      const kept = await fixture.register(other, newMeterPoint());
      await fixture.clock.setOffset(2 * HOUR);
      await terminate(gone);
      await sweep();
      expect([(await recordOf(expired)).state, (await recordOf(kept)).state]).toEqual(['EXPIRED', 'ACTIVE']);
      expect(await progress(gone)).toMatchObject({ recordsRevoked: 0, recordsRemaining: 0 });
      expect(await progress(other)).toBeNull();
    });
  });

  describe('The sweep after a termination', () => {
    it('works in batches, concurrently and after a stop, and reports its progress to the back office', async () => {
      const organisation = await fixture.organisation('Alderbrook');
      const keys = await Promise.all(Array.from({ length: 30 }, () => fixture.register(organisation, newMeterPoint())));
      await terminate(organisation);
      expect(await progress(organisation)).toMatchObject({ recordsRevoked: 0, recordsRemaining: 30 });
      const { id } = await recordOf(keys[0] as string);
      await fixture.tables.owner.query('begin');
      await fixture.tables.owner.query('select from access_record where id = $1 for update', [id]);
      await Promise.all([sweep(), sweep()]);
      expect(await progress(organisation)).toMatchObject({ recordsRevoked: 29, recordsRemaining: 1 });
      await fixture.tables.owner.query('commit');
      const sweeping = startSweeps(fixture.database, pino({ level: 'silent' }));
      await until(async () => ((await progress(organisation))?.recordsRemaining === 0 ? true : undefined));
      await sweeping.stop();
      expect(await progress(organisation)).toMatchObject({ recordsRevoked: 30, recordsRemaining: 0 });
      for (const key of keys) expect(await transitionsOf((await recordOf(key)).id)).toHaveLength(2);
    });
  });
}
