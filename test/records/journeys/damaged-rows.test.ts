import { Client } from 'pg';
import { type DataUser, identityRecord, newDataUser, newMpxn } from '../../support/customers';
import { registered } from '../../support/records';
import { type SharedRegister, sharedRegister } from '../../support/register';

describe('A list with a row that cannot be decrypted, after damage of the database', () => {
  let register: SharedRegister;
  let owner: Client;
  let dataUser: DataUser;
  beforeAll(async () => {
    register = await sharedRegister();
    owner = new Client({ connectionString: register.databaseUrl });
    await owner.connect();
    await owner.query('set session_replication_role = replica'); // the triggers of the tables forbid the change
  }, 300_000);
  afterAll(() => owner?.end());
  beforeEach(async () => {
    dataUser = await newDataUser(register, 'https://larkhill.example/return');
  });

  const listed = async (path: string) => {
    const { status, body } = await dataUser.rest('GET', path);
    expect(status).toBe(200);
    return body;
  };
  const newRecord = async (mpxn: string, email: string | null = null) =>
    String((await dataUser.rest('POST', '/v1/identity-records', identityRecord(mpxn, email))).body['ir']);
  const damage = async (statement: string, values: unknown[]) => {
    expect((await owner.query(statement, values)).rowCount).toBe(1);
  };

  it('of access records has the others, on pages of every size', async () => {
    const mpxn = newMpxn();
    const ir = await newRecord(mpxn);
    const keys: string[] = [];
    for (let n = 0; n < 4; n++) keys.unshift(await registered(dataUser.rest, ir));
    await damage(
      `update access.access_record set key_sealed = '\\x00' where id = (
        select id from access.access_record where duid = $1 order by created_at desc offset 1 limit 1)`,
      [dataUser.duid],
    );
    const expected = keys.filter((_, index) => index !== 1);
    const keysOf = (records: { ak: string }[]) => records.map(({ ak }) => ak);
    for (const limit of [1, 2, 3, 4, 5]) {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof listed>> = await listed(
          `/v1/records?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`,
        );
        expect(page['records'].length).toBeLessThanOrEqual(limit);
        found.push(...keysOf(page['records']));
        cursor = page['next-cursor'];
      } while (cursor !== null);
      expect(found).toEqual(expected);
    }
    const atMeterPoint = await listed(`/v1/meter-points/${mpxn}/access-records`);
    expect(keysOf(atMeterPoint['access-records'])).toEqual(expected);
  });

  it('of Identity Records has it without personal data, so that its Data User can anonymise it', async () => {
    const mpxn = newMpxn();
    const email = `customer-${mpxn}@customer.example`;
    const [older, damaged, newer] = [
      await newRecord(mpxn, email),
      await newRecord(mpxn, email),
      await newRecord(mpxn, email),
    ];
    await damage(
      `update identity_keys.data_key set wrapped = '\\x00'
        where record_id = (select id from identity.identity_record where ref = $1)`,
      [damaged],
    );
    for (const search of [`mpxn=${mpxn}`, `email=${encodeURIComponent(email)}`]) {
      const records = (await listed(`/v1/identity-records?${search}`))['identity-records'];
      expect(records).toMatchObject([
        { ir: newer, 'pii-principal': { mpxn } },
        { ir: damaged, 'pii-principal': null, 'principal-verification': null, 'anonymised-at': null },
        { ir: older, 'pii-principal': { mpxn } },
      ]);
    }
    expect((await dataUser.rest('DELETE', `/v1/identity-records/${damaged}`)).status).toBe(200);
    expect((await listed(`/v1/identity-records?mpxn=${mpxn}`))['identity-records']).toHaveLength(2);
  });

  it('of webhooks has the others', async () => {
    const wids: string[] = [];
    for (const path of ['first', 'second', 'third']) {
      const webhook = { 'callback-url': `https://webhook.example/${path}`, 'alert-email': 'alerts@webhook.example' };
      wids.push(String((await dataUser.rest('POST', '/v1/webhooks', webhook)).body['webhook'].wid));
    }
    await damage(`update access.webhook set callback_sealed = '\\x00' where wid = $1`, [wids[1]]);
    const webhooks: { wid: string }[] = (await listed('/v1/webhooks'))['webhooks'];
    expect(webhooks.map(({ wid }) => wid)).toEqual([wids[0], wids[2]]);
  });
});
