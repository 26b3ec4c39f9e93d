import { Pool } from 'pg';
import { eventRelations } from '../../../../subgraphs/access/events/event-relations.queries';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { type AccessDatabase, DUID, accessDatabase } from '../../../support/access-database';
import { end, eventsOf, fanOutAll, putWebhook, register } from '../../../support/event-rows';
import { type Planning, rowsRead } from '../../../support/rows-read';

const MANY = 600;
const MAX_DELETED_IN_A_DAY = 1_000;

export function deletedSubscriptions(): void {
  let tables: AccessDatabase;
  let database: Database;
  beforeAll(async () => {
    tables = await accessDatabase();
    database = openDatabase(tables.address);
  });
  afterAll(async () => {
    await database.close();
    await tables.close();
  });

  /** Inserts subscriptions that were deleted some hours ago. */
  const putDeleted = (count: number, hoursAgo: number) =>
    tables.owner.query(
      `insert into webhook (wid, duid, callback_hash, callback_sealed, alert_email_sealed, event_types, deleted_at)
       select 'wid_' || left(encode(uuid_send(gen_random_uuid()), 'hex'), 24), $1, uuid_send(gen_random_uuid()), '', '', array['tenancy.change'],
         register_now() - make_interval(hours => $3) from generate_series(1, $2::int)`,
      [DUID, count, hoursAgo],
    );

  async function withdrawnRecord(): Promise<{ readonly registration: string; readonly withdrawal: string }> {
    const id = await register(tables.application);
    await end(tables.application, id, 'withdrawn');
    await fanOutAll(tables.owner);
    const [registration, withdrawal] = await eventsOf(tables.owner, id);
    return { registration: registration?.['id'], withdrawal: withdrawal?.['id'] };
  }

  describe('The deliveries of an event', () => {
    const reads = { byKey: () => () => Promise.reject(new Error('a short read')) } as unknown as Database['reads'];
    const deliveries = (...eventIds: string[]) => {
      const relations = eventRelations({ ...database, reads });
      return Promise.all(eventIds.map((id) => relations.deliveries(id)));
    };

    it('are read without the connections of verification, and without subscriptions deleted before', async () => {
      const planner = new Pool({
        connectionString: tables.address.url,
        options: '-c search_path=access,register -c enable_seqscan=off', // the tables of a test are small
      });
      const webhookId = await putWebhook(tables.application);
      await putDeleted(MANY, 1);
      const { registration, withdrawal } = await withdrawnRecord();
      expect(await deliveries(withdrawal, registration)).toMatchObject([
        [{ webhookId, status: 'pending', attempts: 0 }],
        [],
      ]);
      await tables.owner.query('vacuum analyze event, webhook, delivery');
      const graph = { owner: planner, execute: () => deliveries(withdrawal, registration) };
      for (const planning of ['force_custom_plan', 'force_generic_plan'] satisfies Planning[])
        expect((await rowsRead(graph, '', planning)).rows).toMatchObject({ webhook: 1, delivery: 1 });
      await planner.end();
    });

    it('include those to a subscription that was deleted after it', async () => {
      const { application } = tables;
      const webhookId = await putWebhook(application);
      const { withdrawal } = await withdrawnRecord();
      await application.query('update webhook set deleted_at = register_now() where id = $1', [webhookId]);
      const [found] = await deliveries(withdrawal);
      expect(found?.map((delivery) => delivery.webhookId)).toContain(webhookId);
    });
  });

  it('are at most 1,000 within a day: then the Data User registers no further one', async () => {
    const { rows } = await tables.owner.query<{ count: number }>(
      'select count(*)::int from webhook where deleted_at is not null',
    );
    await putDeleted(MAX_DELETED_IN_A_DAY - 1 - (rows[0]?.count ?? 0), 23);
    await putDeleted(1, 25);
    await putWebhook(tables.application);
    await putDeleted(1, 1);
    await expect(putWebhook(tables.application)).rejects.toMatchObject({ constraint: 'webhook_deletion_limit' });
  });
}
