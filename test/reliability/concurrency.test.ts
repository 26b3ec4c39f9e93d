import { Client } from 'pg';
import { type TestRegister, startTestRegister } from '../support/register';
import { consentRecord, registered } from '../support/records';
import { type RestClient, signedInClient } from '../support/rest-client';

describe('Two callers at once', () => {
  let register: TestRegister;
  let dataUser: RestClient;

  beforeAll(async () => {
    register = await startTestRegister('one process');
    dataUser = await signedInClient(register, 'data_user');
  });
  afterAll(() => register.close());

  it('come to one order when two replace and one revokes the same record: no update is lost', async () => {
    for (let round = 0; round < 20; round++) {
      const ref = register.sandbox.samples.identity_record;
      const ak = await registered(dataUser, ref);
      const path = `/v1/access-records/${ak}`;
      const [one, other, revoked] = await Promise.all([
        dataUser('PUT', path, consentRecord(ref, { purpose: 'one' })),
        dataUser('PUT', path, consentRecord(ref, { purpose: 'other' })),
        dataUser('DELETE', `${path}?reason=contract-ended`),
      ]);
      expect(revoked.status).toBe(200);
      const replaced = [one, other].filter(({ status }) => status === 200);
      for (const { status } of [one, other]) expect([200, 409]).toContain(status);
      const { body, headers } = await dataUser('GET', path);
      expect(body['access-record']['access-event'].state).toBe('REVOKED');
      expect(headers.get('etag')).toBe(`"${1 + replaced.length}"`);
      const versions = replaced.map((answer) => answer.headers.get('etag')).toSorted();
      expect(versions).toEqual(['"2"', '"3"'].slice(0, replaced.length));
      const last = replaced.find((answer) => answer.headers.get('etag') === headers.get('etag'));
      const purpose = last === undefined ? 'Find a better tariff' : last === one ? 'one' : 'other';
      expect(body['access-record'].processing.purpose).toBe(purpose);
    }
  });

  it('never both replace the version that If-Match names', async () => {
    const ref = register.sandbox.samples.identity_record;
    const path = `/v1/access-records/${await registered(dataUser, ref)}`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        dataUser('PUT', path, consentRecord(ref, { purpose: `${n}` }), { 'if-match': '"1"' }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(9).fill(412)]);
  });

  it('make one record with one Idempotency-Key, and are told one answer', async () => {
    const body = consentRecord(register.sandbox.samples.identity_record);
    const send = () => dataUser('POST', '/v1/access-records', body, { 'idempotency-key': 'twenty-at-once' });
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    const told = answers.filter(({ status }) => status === 201);
    for (const { status, body: refused } of answers) {
      if (status !== 201) expect(refused['errors'][0]['error-code']).toBe('CNF004');
    }
    expect(new Set(told.map((answer) => answer.body['access-token'].key)).size).toBe(1);
    expect(told.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(await recordsNamed(register.databaseUrl, told[0]?.body['access-token'].key)).toBe(true);
  });
});

/** Whether exactly one record was registered by the last request with an idempotency key. */
async function recordsNamed(databaseUrl: string, key: unknown): Promise<boolean> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query('select count(*)::int as count from access.idempotency_key');
    return typeof key === 'string' && (rows[0] as { count: number }).count === 1;
  } finally {
    await client.end();
  }
}
