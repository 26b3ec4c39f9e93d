import { Pool } from 'pg';
import { DeliveryInputQueries } from '../../../../subgraphs/access/webhooks/delivery-input.queries';
import { webhookCipher } from '../../../../subgraphs/access/webhooks/webhook-secrets.repository';
import { openDatabase } from '../../../../subgraphs/server/database/database';
import { type AccessDatabase, accessDatabase } from '../../../support/access-database';
import { end, fanOutAll, putWebhook, register } from '../../../support/event-rows';
import { type RowsRead, rowsRead } from '../../../support/rows-read';

export function deliveryInputs(): void {
  let tables: AccessDatabase;
  beforeAll(async () => {
    tables = await accessDatabase();
  });
  afterAll(() => tables.close());

  /** Returns what the read of the only delivery reads, by a plan that PostgreSQL makes now and keeps. */
  async function readOfDelivery(): Promise<RowsRead> {
    const { owner, address } = tables;
    const { rows } = await owner.query('select endpoint_id as "endpointId", event_id as "eventId" from delivery');
    const database = openDatabase(address);
    const planner = new Pool({ connectionString: address.url, options: '-c search_path=access,register' });
    const key = Buffer.alloc(32, 1);
    const inputs = new DeliveryInputQueries(database.reads, webhookCipher(key), key);
    // The test's subscription cannot be decrypted, which happens after the read.
    const execute = () => expect(inputs.of(rows[0])).rejects.toThrow();
    try {
      return await rowsRead({ owner: planner, pattern: /requested/, execute }, '', 'force_generic_plan');
    } finally {
      await Promise.all([database.close(), planner.end()]);
    }
  }

  it('are read by key also in a new register, where PostgreSQL plans the read while the tables are almost empty', async () => {
    const { application, owner } = tables;
    await putWebhook(application);
    await end(application, await register(application), 'withdrawn');
    await fanOutAll(owner);
    const { rows, whole } = await readOfDelivery();
    expect(rows).toMatchObject({ delivery: 1, event: 1, access_record: 1, access_record_transition: 1 });
    expect(whole.filter((table) => table !== 'account' && table !== 'webhook')).toEqual([]);
  });
}
