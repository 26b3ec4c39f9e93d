import { Client } from 'pg';
import { type Customer, type DataUser, identityRecord, newCustomer, newDataUser, newMpxn } from '../support/customers';
import { type Graph, failuresOf, graphOf } from '../support/graph';
import { consentRecord } from '../support/records';
import { type TestRegister, startTestRegister } from '../support/register';
import { until } from '../support/until';

const ANONYMISE = `mutation Anonymise($ir: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ir) { anonymisedAt } }`;

let register: TestRegister;
let owner: Client;
let holder: Client;
let dataUser: DataUser;
let graph: Graph;

beforeAll(async () => {
  register = await startTestRegister('one process');
  [owner, holder] = [await session(), await session()];
  dataUser = await newDataUser(register, 'https://larkhill.example/back');
  graph = graphOf(register, dataUser.token);
});
afterEach(async () => {
  await holder.query('rollback');
  await owner.query('select register.set_clock_offset(0)');
});
afterAll(async () => {
  await Promise.all([owner?.end(), holder?.end()]);
  await register?.close();
});

async function session(): Promise<Client> {
  const client = new Client({ connectionString: register.databaseUrl });
  await client.connect();
  return client;
}

const anonymise = async ({ ir }: Pick<Customer, 'ir'>) => failuresOf(await graph(ANONYMISE, { ir }))[0] ?? 'anonymised';
const revoke = ({ key }: Customer) => dataUser.rest('DELETE', `/v1/access-records/${key}`);
const waiting = (count: number) =>
  until(async () => {
    const { rows } = await owner.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length >= count ? true : undefined;
  });

const recordWith = ({ ir }: Pick<Customer, 'ir'>, expiry: Date | null) => {
  const record = consentRecord(ir);
  return { ...record, 'access-event': { ...record['access-event'], expiry } };
};
const replace = ({ ir, key }: Customer, expiry: Date | null) =>
  dataUser.rest('PUT', `/v1/access-records/${key}`, recordWith({ ir }, expiry));
const inAnHour = async () =>
  (await owner.query<{ soon: Date }>(`select register.register_now() + interval '1 hour' as soon`)).rows[0]
    ?.soon as Date;

describe('A replacement that began before the expiry of its record', () => {
  it('and moves it away keeps the Identity Record from being closed', async () => {
    const customer = await newCustomer(dataUser);
    expect((await replace(customer, await inAnHour())).status).toBe(200);
    await holder.query('begin');
    await holder.query(
      `select from access.access_record where identity_record_id = (select id from identity.identity_record where ref = $1) for update`,
      [customer.ir],
    );
    const replaced = replace(customer, null);
    await waiting(1);
    await owner.query('select register.set_clock_offset(3600)');
    const anonymised = anonymise(customer);
    await waiting(2);
    await holder.query('commit');
    expect((await replaced).status).toBe(200);
    expect(await anonymised).toBe('CNF003 anonymiseIdentityRecord');
    const { body } = await dataUser.rest('GET', `/v1/access-records/${customer.key}`);
    expect(body['access-record']['access-event'].state).toBe('ACTIVE');
  });

  it('and comes after the closing is refused', async () => {
    const customer = await newCustomer(dataUser);
    await owner.query(
      `insert into access.closed_identity_link (identity_record_id) select id from identity.identity_record where ref = $1`,
      [customer.ir],
    );
    const { status, body } = await replace(customer, await inAnHour());
    expect([status, body['errors'][0]['error-code']]).toEqual([409, 'CNF003']);
    expect((await replace(customer, null)).status).toBe(200); // the same expiry revives nothing
    expect((await revoke(customer)).status).toBe(200);
  });
});

describe('An existence check beside the destroying', () => {
  it('leaves no look behind', async () => {
    const customer = await newCustomer(dataUser);
    const looks = `select from identity.identity_look join identity.identity_record r on r.id = record_id where ref = $1`;
    await holder.query('begin');
    await holder.query(
      `update identity.identity_record set closing_at = register.register_now(), anonymised_at = register.register_now(),
         mpxn_index = null, email_index = null, meter_point_id = null where ref = $1`,
      [customer.ir],
    );
    const checked = dataUser.rest('GET', `/v1/identity-records/exists?mpxn=${customer.mpxn}`);
    await Promise.race([checked, waiting(1)]);
    await holder.query('commit');
    expect((await checked).status).toBe(200);
    expect((await owner.query(looks, [customer.ir])).rowCount).toBe(0);
  });
});

describe('While closings hang', () => {
  it('other requests of identity are answered as ever, and what was begun is ended', async () => {
    const customers: Customer[] = [];
    for (let count = 0; count < 14; count++) customers.push(await newCustomer(dataUser));
    for (const customer of customers) await revoke(customer);
    await holder.query('begin');
    await holder.query('lock table access.closed_identity_link in share mode');
    const begun = [...customers, ...customers.slice(0, 4)].map(anonymise);
    const attempts = Promise.all(begun);
    let ended = 0;
    for (const attempt of begun) void attempt.then(() => (ended += 1));
    await waiting(2);
    const { status } = await dataUser.rest('POST', '/v1/identity-records', identityRecord(newMpxn(), null));
    expect(status).toBe(201);
    expect(ended).toBe(0); // nobody has waited for them
    const outcomes = await attempts;
    expect(new Set(outcomes)).toEqual(new Set(['SYS002 anonymiseIdentityRecord']));
    await holder.query('commit');
    await until(async () => {
      const { rows } = await owner.query(
        'select from identity.identity_record where closing_at is not null and anonymised_at is null',
      );
      return rows.length === 0 ? true : undefined;
    }, 30_000);
    for (const customer of customers) expect(await anonymise(customer)).toBe('anonymised');
  }, 60_000);
});

describe('A kept answer to a re-identification', () => {
  it('is told until the record is anonymised, and not afterwards', async () => {
    const customer = await newCustomer(dataUser);
    const request = { method: 'magic-link' };
    const ask = (path: string, body: object) =>
      dataUser.rest('POST', `/v1/identity-records/${path}`, body, { 'idempotency-key': `kept-${customer.mpxn}` });
    const cross = () => ask('reidentify', { ...request, mpxn: customer.mpxn });
    const own = () => ask(`${customer.ir}/re-identify`, request);
    for (const asked of [cross, own]) {
      const first = await asked();
      expect(first.status).toBe(200);
      expect((await asked()).body['magic-link']).toEqual(first.body['magic-link']);
    }
    await revoke(customer);
    expect(await anonymise(customer)).toBe('anonymised');
    expect([(await cross()).status, (await own()).status]).toEqual([404, 409]);
  });
});
