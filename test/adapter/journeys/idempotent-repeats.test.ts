import { Client } from 'pg';
import { type DataUser, newCustomer, newDataUser } from '../../support/customers';
import { consentRecord } from '../../support/records';
import { type SharedRegister, sharedRegister } from '../../support/register';
import type { RestClient } from '../../support/rest-client';

const IDENTITY = {
  'pii-principal': {
    mpxn: '1055667788',
    'move-in-date': '2024-09-01',
    address: { addressLine1: '3 Weir Lane', townCity: 'Exampleford', postcode: 'EX1 2PQ' },
  },
  'expressed-by': 'data-subject',
};

describe('A registration repeated under its Idempotency-Key', () => {
  let register: SharedRegister;
  let organisation: DataUser;
  let dataUser: RestClient;
  let ir: string;
  beforeAll(async () => {
    register = await sharedRegister();
    organisation = await newDataUser(register, 'https://larkhill.example/return');
    dataUser = organisation.rest;
    ir = String((await dataUser('POST', '/v1/identity-records', IDENTITY)).body['ir']);
  }, 300_000);

  const send = (body: object, key: string) => dataUser('POST', '/v1/access-records', body, { 'idempotency-key': key });
  const codeOf = async (response: ReturnType<RestClient>) => {
    const { status, body } = await response;
    return `${status} ${body['errors']?.[0]['error-code'] ?? ''}`;
  };

  it('returns the stored response, even after changes of the record and its Identity Record', async () => {
    const first = await send(consentRecord(ir), 'record');
    await dataUser('DELETE', `/v1/access-records/${first.body['access-token'].key}`);
    expect((await dataUser('DELETE', `/v1/identity-records/${ir}`)).status).toBe(200);
    expect(await codeOf(send(consentRecord(ir), 'new key'))).toBe('400 VAL001'); // a space is not allowed
    expect(await codeOf(send(consentRecord(ir), 'another'))).toBe('409 CNF003');
    const again = await send(consentRecord(ir), 'record');
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(again.body['access-token']).toEqual(first.body['access-token']);
  });

  it('is rejected with another body before any rule checks that body', async () => {
    const sole = consentRecord(ir);
    Object.assign(sole['record-metadata']['controller-arrangement'], {
      'art26-reference': 'Not for a sole arrangement',
    });
    expect(await codeOf(send(sole, 'record'))).toBe('409 CNF004');
    expect(await codeOf(send(sole, 'unknown'))).toBe('400 VAL006');
    const wrong = { ...IDENTITY, 'passkey-return-url': 'ftp://nowhere.example/' };
    const identity = (body: object, key: string) =>
      dataUser('POST', '/v1/identity-records', body, { 'idempotency-key': key });
    expect((await identity(IDENTITY, 'live')).status).toBe(201);
    expect(await codeOf(identity(wrong, 'live'))).toBe('409 CNF004');
    expect(await codeOf(identity(wrong, 'unknown'))).toBe('400 VAL008');
  });

  it('is a new registration when the response was stored more than 24 hours ago', async () => {
    const { ir: ref } = await newCustomer(organisation);
    const first = await send(consentRecord(ref), 'old');
    await asOwner(
      register,
      `update access.idempotency_key kept set expires_at = register.register_now()
      from access.account where account.account_id = kept.account_id and account.duid = $1`,
      [organisation.duid],
    );
    const again = await send(consentRecord(ref, { purpose: 'Another one' }), 'old');
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, null]);
    expect(again.body['access-token'].key).not.toBe(first.body['access-token'].key);
  });
});

async function asOwner({ databaseUrl }: SharedRegister, statement: string, values: unknown[]): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statement, values);
  } finally {
    await client.end();
  }
}
