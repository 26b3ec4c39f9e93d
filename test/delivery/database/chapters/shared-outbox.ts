import { type AccessDatabase, DUID, accessDatabase, jumpedClock } from '../../../support/access-database';
import { fanOutAll, putMany, putWebhook, register } from '../../../support/event-rows';

export function sharedOutbox(): void {
  let tables: AccessDatabase;
  beforeAll(async () => {
    tables = await accessDatabase();
  });
  afterAll(async () => {
    await tables.close();
  });

  describe('Notices of expiry of many records of a Data User', () => {
    it('do not delay another event, which takes one place of theirs', async () => {
      const { application, owner } = tables;
      await putMany(owner, 3_000, 'uk-consent', `register_now() + interval '4 days'`);
      const webhook = await putWebhook(application, { types: ['tenancy.change'] });
      await owner.query('insert into fanout (subject) select id::text from access_record order by id');
      await owner.query(`insert into fanout (event_id, subject, replaceable, supersedes)
        select 'evt_notice_' || n, 'notice ' || n, true, true from generate_series(1, 3000) n`);
      const test = `insert into event (type, duid, webhook_id) values ('webhook.test', $1, $2)`;
      await application.query(test, [DUID, webhook]);
      const { rows } = await owner.query<{ events: number }>('select events from fan_out(250)');
      expect(rows).toEqual([{ events: 250 }]);
      expect((await owner.query('select endpoint_id from delivery')).rows).toEqual([{ endpoint_id: webhook }]);
      await owner.query('delete from fanout');
    });
  });

  describe('A record that is registered while the clock has jumped', () => {
    it('has no notice of expiry by that clock', async () => {
      const { application, owner } = tables;
      await putWebhook(application);
      const correct = await jumpedClock(owner, '45 days');
      const id = await register(application, { expiresIn: '15 days' });
      await owner.query('select from fan_out(250, $1)', [new Date()]).finally(correct);
      await fanOutAll(owner);
      const notices = `select from event where type = 'consent.expiring' and record_id = $1`;
      expect((await owner.query(notices, [id])).rowCount).toBe(0);
    });
  });
}
