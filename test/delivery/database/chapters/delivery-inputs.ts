import { Pool } from 'pg';
import { webhookSource } from '../../../../subgraphs/access/webhooks/webhook-source.flow';
import { DeliveryInputQueries } from '../../../../subgraphs/access/webhooks/delivery-input.queries';
import { webhookCipher } from '../../../../subgraphs/access/webhooks/webhook-secrets.repository';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { encryptValue } from '../../../../subgraphs/server/encryption';
import { type AccessDatabase, DUID, accessDatabase } from '../../../support/access-database';
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
    const inputs = new DeliveryInputQueries(database, webhookCipher(key), key);
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

  describe('of a change of tenancy', () => {
    const RECORDS = 3_000;
    const DELIVERIES = 20;
    const KEY = Buffer.alloc(32, 1);
    const EVENT = `evt_${'c'.repeat(24)}`;
    const identityRecordId = '00000000-0000-4000-8000-000000000001';

    /** Inserts an event that affects existing records, in the reverse order of their ids; returns their access keys. */
    async function putChange(): Promise<string[]> {
      const ids = Array.from(
        { length: RECORDS },
        (_, n) => `00000000-0000-4000-8000-${String(9_999 - n).padStart(12, '0')}`,
      );
      const aks = ids.map((id) => `ak_${id.slice(-12).repeat(2)}`);
      const encrypted = ids.map((id, n) => encryptValue(KEY, Buffer.from(aks[n] as string), id));
      await tables.owner.query(`set session_replication_role = 'replica'`);
      await tables.owner.query(
        `insert into access_record (id, key_hash, key_sealed, duid, identity_record_id, meter_point_id, state, legal_basis, registered_at, document)
         select id, uuid_send(id), key, $3, $4, 'meter point', 'ACTIVE', 'uk-contract', register_now(), '{}'
         from unnest($1::uuid[], $2::bytea[]) record (id, key)`,
        [ids, encrypted, DUID, identityRecordId],
      );
      const columns = 'id, type, duid, change_id, record_ids';
      const event = `insert into event (${columns}) values ($1, 'tenancy.change', $2, gen_random_uuid(), $3)`;
      await tables.owner.query(event, [EVENT, DUID, ids]);
      await tables.owner.query(`set session_replication_role = 'origin'`);
      return aks;
    }

    it('are read once for all deliveries that are assembled together, without the connections of verification', async () => {
      const aks = await putChange();
      const database = openDatabase(tables.address);
      const rejected = () => Promise.reject(new Error('a short read'));
      const reads = { rows: rejected, byKey: () => rejected } as unknown as Database['reads'];
      const inputs = new DeliveryInputQueries({ ...database, reads }, webhookCipher(KEY), KEY);
      const sent = jest.spyOn(database.pool, 'query');
      const together = await Promise.all(Array.from({ length: DELIVERIES }, () => inputs.recordKeys(EVENT)));
      expect(sent).toHaveBeenCalledTimes(1);
      expect(new Set(together.map((records) => records.map(({ ak }) => ak).join()))).toEqual(new Set([aks.join()]));
      expect(await inputs.recordKeys(EVENT)).toHaveLength(RECORDS);
      expect(sent).toHaveBeenCalledTimes(2);
      await database.close();
    });

    it('include one query for the MPxN of each Identity Record', async () => {
      const mpxnOf = jest.fn().mockResolvedValue('1012345678901');
      const affected = Array.from({ length: RECORDS }, (_, n) => ({ ak: `ak_${n}`, identityRecordId }));
      const event = { id: EVENT, type: 'tenancy.change', duid: DUID, occurredAt: new Date(), recordedAt: new Date(0) };
      const secrets = [{ secret: 'whsec_AAAA', createdAt: new Date(0), replacedAt: null }];
      const receiver = {
        wid: 'wid_1',
        callbackUrl: 'https://larkhill.example/',
        isDeleted: false,
        status: 'active',
        secrets,
      };
      const inputs = {
        of: async () => ({
          event: { ...event, changeId: 'change' },
          receiver: { ...receiver, now: new Date() },
        }),
        recordKeys: async () => affected,
      };
      const source = webhookSource({
        inputs: inputs as never,
        mpxnOf,
        sourceReferenceOf: async () => null,
        changes: { effectiveDateOf: async () => '2026-02-01' },
        alert: async () => undefined,
      });
      const assembled = await source.assemble({ endpointId: 'e', eventId: EVENT, sequence: 1, redeliveredAt: null });
      expect(
        assembled.kind === 'send' && JSON.parse(String(assembled.dispatch.body)).payload['affected-aks'],
      ).toHaveLength(RECORDS);
      expect(mpxnOf.mock.calls).toEqual([[identityRecordId]]);
    });
  });
}
