import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { fingerprintOf } from '../../../subgraphs/server/audit/audit.repository';
import { codeOf, confirmedTokens, recordWithToken } from '../../support/confirmed-tokens';
import {
  type Customer,
  type DataUser,
  identityRecord,
  newCustomer,
  newDataUser,
  newMpxn,
} from '../../support/customers';
import { type Graph, failuresOf, graphAs, graphOf } from '../../support/graph';
import { consentRecord } from '../../support/records';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { tokenOf } from '../../support/rest-client';
import { until } from '../../support/until';

const ANONYMISE = `mutation Anonymise($ir: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ir) { ir anonymisedAt } }`;
const LISTED = `query Listed($mpxn: MPxN!) { meterPoint(mpxn: $mpxn) { accessRecords { nodes { ak } } } }`;

let register: SharedRegister;
let owner: Client;
let dataUser: DataUser;
let graph: Graph;

beforeAll(async () => {
  register = await sharedRegister();
  owner = new Client({ connectionString: register.databaseUrl });
  await owner.connect();
  dataUser = await newDataUser(register, 'https://larkhill.example/back');
  graph = graphOf(register, dataUser.token);
});
afterAll(async () => {
  await owner?.end();
});

const anonymise = (ir: string, by: Graph = graph) => by(ANONYMISE, { ir });
const revoke = ({ key }: Customer) => dataUser.rest('DELETE', `/v1/access-records/${key}`);

async function recordId(ir: string): Promise<string> {
  return (await owner.query<{ id: string }>('select id from identity.identity_record where ref = $1', [ir])).rows[0]
    ?.id as string;
}

/** Moves the expiry of the access record linked to an Identity Record into the past, in its version as well: otherwise no sweep could expire it. */
async function expiryPasses(linkedTo: string): Promise<void> {
  await owner.query(
    `begin; set local session_replication_role = 'replica';
     with record as (update access.access_record set expiry = register.register_now() - interval '1 s'
       where expiry is not null and identity_record_id = '${await recordId(linkedTo)}' returning id, version, expiry)
     update access.access_record_version as of_record set expiry = record.expiry
     from record where record_id = id and of_record.version = record.version; commit`,
  );
}

/** Returns the transitions of an Identity Record in the audit, oldest first. */
async function auditedTransitions(ir: string): Promise<string[]> {
  const admin = await graphAs(register, 'admin');
  const { data } = await admin(`{ identityAuditEntries(first: 500, filter: { action: "anonymise-identity-record" }) {
    nodes { subject detail } } }`);
  const entries: { subject: string; detail: { from: { state: string }; to: { state: string } } }[] =
    data.identityAuditEntries.nodes;
  return entries
    .filter(({ subject }) => subject === fingerprintOf(ir))
    .map(({ detail: { from, to } }) => `${from.state} → ${to.state}`)
    .toReversed();
}

/** Names of the tables of `identity` with rows of a record. */
async function hangingOn(id: string): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.columns
     where column_name = 'record_id' and table_schema in ('identity', 'identity_keys') order by 1`,
  );
  const hanging: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await owner.query(`select from ${name} where record_id = $1`, [id]);
    if (rowCount !== 0) hanging.push(name);
  }
  return hanging;
}

/** Inserts one row for the record into each table that can have one. */
async function doEverything(id: string): Promise<void> {
  const bytes = () => randomBytes(32);
  await owner.query(
    `insert into identity.passkey (id, record_id, credential_hash, sealed, backup_eligible, backed_up, sign_count)
     values ($1, $2, $3, '\\x00', false, false, 0)`,
    [`cred_${randomBytes(12).toString('hex')}`, id, bytes()],
  );
  await owner.query(
    `insert into identity.reidentification (id, token_hash, duid, account_id, scope, method, record_id, issued_at, open_until, expires_at)
     values (gen_random_uuid(), $1, $2, 'acc', 'cross', 'magic-link', $3, now(), now(), now() + interval '1 hour')`,
    [bytes(), dataUser.duid, id],
  );
  await owner.query(
    `insert into identity.customer_session (id, token_hash, record_id, mpxn_index, meter_point_id, means, started_at, expires_at)
     select gen_random_uuid(), $1, id, mpxn_index, meter_point_id, 'passkey', now(), now() + interval '1 hour'
     from identity.identity_record where id = $2`,
    [bytes(), id],
  );
  await owner.query(
    `insert into identity.sign_in_link (secret_hash, record_id, sealed, expires_at) values ($1, $2, '\\x00', now() + interval '1 hour')`,
    [bytes(), id],
  );
  await owner.query(
    `insert into identity.identity_look (record_id, duid, kind, hour, count) values ($1, $2, 'existence-check', '2026-01-01', 1)`,
    [id, dataUser.duid],
  );
}

describe('An anonymised Identity Record', () => {
  it('contains neither personal data nor blind indexes; a repeat returns the same response', async () => {
    const customer = await newCustomer(dataUser);
    await revoke(customer);
    const before = Date.now();
    const { data } = await anonymise(customer.ir);
    expect(data.anonymiseIdentityRecord.ir).toBe(customer.ir);
    expect(Math.abs(Date.parse(data.anonymiseIdentityRecord.anonymisedAt) - before)).toBeLessThan(60_000);
    expect((await anonymise(customer.ir)).data).toEqual(data);

    const { body } = await dataUser.rest('GET', `/v1/identity-records/${customer.ir}`);
    expect(body['identity-record']).toMatchObject({
      'pii-principal': null,
      'principal-verification': null,
      'has-email': false,
      credentials: [],
      'anonymised-at': data.anonymiseIdentityRecord.anonymisedAt,
    });
    const email = encodeURIComponent(customer.email);
    for (const search of [`mpxn=${customer.mpxn}`, `email=${email}`]) {
      expect((await dataUser.rest('GET', `/v1/identity-records?${search}`)).body['identity-records']).toEqual([]);
    }
    const exists = await dataUser.rest('GET', `/v1/identity-records/exists?mpxn=${customer.mpxn}`);
    expect(exists.body).toMatchObject({ exists: false });
  });

  it('leaves nothing of the request that created it, so that a repeat with its idempotency key creates another one', async () => {
    const record = identityRecord(newMpxn(), null);
    const key = { 'idempotency-key': randomBytes(12).toString('hex') };
    const create = async () => (await dataUser.rest('POST', '/v1/identity-records', record, key)).body.ir as string;
    const first = await create();
    expect(await create()).toBe(first);
    const id = await recordId(first);
    expect(await hangingOn(id)).toContain('identity.idempotency_key');
    await anonymise(first);
    expect(await hangingOn(id)).toEqual([]);
    expect(await create()).not.toBe(first);
  });

  it('has no dependent rows', async () => {
    const customer = await newCustomer(dataUser);
    await revoke(customer);
    const id = await recordId(customer.ir);
    await doEverything(id);
    expect(await hangingOn(id)).toEqual([
      'identity.customer_session',
      'identity.identity_look',
      'identity.passkey',
      'identity.reidentification',
      'identity.sign_in_link',
      'identity_keys.data_key',
    ]);
    await anonymise(customer.ir);
    expect(await hangingOn(id)).toEqual([]);
  });

  it('ends supplier sessions at the meter point if it was the last record there', async () => {
    const [alone, among] = [await newCustomer(dataUser), await newCustomer(dataUser)];
    await dataUser.rest('POST', '/v1/identity-records', {
      'pii-principal': { mpxn: among.mpxn, 'move-in-date': '2022-01-01' },
      'expressed-by': 'data-subject',
    });
    for (const { ir } of [alone, among]) {
      await owner.query(
        `insert into identity.customer_session (id, token_hash, mpxn_index, meter_point_id, sealed, means, started_at, expires_at)
         select gen_random_uuid(), $1, mpxn_index, meter_point_id, '\\x00', 'supplier', now(), now() + interval '1 hour'
         from identity.identity_record where ref = $2`,
        [randomBytes(32), ir],
      );
    }
    const { rows: points } = await owner.query<{ index: Buffer }>(
      'select mpxn_index as index from identity.identity_record where ref = any($1) order by array_position($1, ref::text)',
      [[alone.ir, among.ir]],
    );
    const sessionsAt = async ({ index }: { index: Buffer }) =>
      (await owner.query('select from identity.customer_session where mpxn_index = $1', [index])).rowCount;
    for (const customer of [alone, among]) {
      await revoke(customer);
      await anonymise(customer.ir);
    }
    expect(await Promise.all(points.map(sessionsAt))).toEqual([0, 1]);
  });

  it('leaves access records with their history, without their meter point and without lookup counts', async () => {
    const customer = await newCustomer(dataUser);
    await dataUser.rest('GET', `/v1/meter-points/${customer.mpxn}/access-records`);
    await revoke(customer);
    const before = (await dataUser.rest('GET', `/v1/access-records/${customer.key}`)).body['access-record'];
    const linked = `(select id from access.access_record where identity_record_id = '${await recordId(customer.ir)}')`;
    const { rows: accounts } = await owner.query(`select account_id from access.account where duid = $1`, [
      dataUser.duid,
    ]);
    await owner.query(
      `insert into access.portal_alias (alias_hash, record_id, account_id) select $1, id, $2 from ${linked} linked`,
      [randomBytes(32), accounts[0].account_id],
    );
    await anonymise(customer.ir);
    expect((await dataUser.rest('GET', `/v1/access-records/${customer.key}`)).body['access-record']).toEqual(before);
    for (const table of ['look', 'portal_alias']) {
      expect([table, (await owner.query(`select from access.${table} where record_id in ${linked}`)).rowCount]).toEqual(
        [table, 0],
      );
    }
    const { rows } = await owner.query(`select meter_point_id, state from access.access_record where id in ${linked}`);
    expect(rows).toEqual([{ meter_point_id: null, state: 'REVOKED' }]);
    expect(failuresOf(await graph(LISTED, { mpxn: customer.mpxn }))).toEqual([expect.stringContaining('PRM')]);
  });

  it('rejects new access records', async () => {
    const customer = await newCustomer(dataUser);
    await revoke(customer);
    await anonymise(customer.ir);
    const { status, body } = await dataUser.rest('POST', '/v1/access-records', consentRecord(customer.ir));
    expect([status, body['errors'][0]['error-code']]).toEqual([409, 'CNF003']);
  });
});

describe('Anonymising', () => {
  it('is rejected while a linked access record is ACTIVE, and changes nothing', async () => {
    const customer = await newCustomer(dataUser);
    expect(failuresOf(await anonymise(customer.ir))).toEqual(['CNF003 anonymiseIdentityRecord']);
    const { body } = await dataUser.rest('GET', `/v1/identity-records/${customer.ir}`);
    expect(body['identity-record']['pii-principal'].mpxn).toBe(customer.mpxn);
    expect((await dataUser.rest('POST', '/v1/access-records', consentRecord(customer.ir))).status).toBe(201);
  });

  it('is possible once every linked access record has ended, by revocation or by expiry', async () => {
    const customer = await newCustomer(dataUser);
    const ending = consentRecord(customer.ir);
    const expiry = new Date(Date.now() + 3_600_000).toISOString();
    const access = { ...ending['access-event'], expiry };
    await dataUser.rest('POST', '/v1/access-records', { ...ending, 'access-event': access });
    await revoke(customer);
    expect(failuresOf(await anonymise(customer.ir))).toEqual(['CNF003 anonymiseIdentityRecord']);
    await expiryPasses(customer.ir);
    expect(failuresOf(await anonymise(customer.ir))).toEqual([]);
  });

  it('is not blocked by an access record of another Data User: the record is closed, and anonymised when that access record ends', async () => {
    const customer = await newCustomer(dataUser);
    const other = await newDataUser(register, 'https://moorland.example/back');
    const [token = '', late = ''] = await confirmedTokens(register, other, customer, 2);
    const registered = await other.rest('POST', '/v1/access-records', recordWithToken(token));
    expect(registered.status).toBe(201);
    const key = String(registered.body['access-token'].key);
    const anonymised = async () => {
      const { status, body } = await dataUser.rest('DELETE', `/v1/identity-records/${customer.ir}`);
      return [status, body['errors']?.[0]['error-code'] ?? body['anonymised-at']];
    };
    expect(await anonymised()).toEqual([409, 'CNF003']); // the access record of the same Data User does block
    await revoke(customer);
    expect([await anonymised(), await anonymised()]).toEqual([
      [200, null],
      [200, null],
    ]);

    const found = await dataUser.rest('GET', `/v1/identity-records?mpxn=${customer.mpxn}`);
    expect(found.body['identity-records']).toEqual([]);
    expect(codeOf(await dataUser.rest('POST', '/v1/access-records', consentRecord(customer.ir)))).toBe('409 CNF003');
    expect(codeOf(await other.rest('POST', '/v1/access-records', recordWithToken(late)))).toBe('409 CNF003');
    const request = { mpxn: customer.mpxn, method: 'magic-link' };
    expect(codeOf(await other.rest('POST', '/v1/identity-records/reidentify', request))).toBe('404 NTF001');
    const verified = await other.rest('GET', `/v1/access-records/${key}`);
    expect(verified.body['access-record']['access-event'].state).toBe('ACTIVE');

    const job = `anonymise ${await recordId(customer.ir)}`;
    await owner.query(`begin; set local session_replication_role = replica;
      update identity.identity_record set closed_at = now() - interval '1 year' where ref = '${customer.ir}'; commit`);
    await owner.query('update identity_jobs._private_jobs set run_at = now() where key = $1', [job]);
    const nextRun = `select round(extract(epoch from run_at - now()) / 60)::int as minutes from identity_jobs._private_jobs
      where key = $1 and locked_at is null and run_at > now() + interval '2 minutes'`;
    expect(await until(async () => (await owner.query(nextRun, [job])).rows[0])).toEqual({ minutes: 60 });

    expect((await other.rest('DELETE', `/v1/access-records/${key}`)).status).toBe(200);
    await until(async () => {
      await owner.query('update identity_jobs._private_jobs set run_at = now() where key = $1 and locked_at is null', [
        job,
      ]);
      const { body } = await dataUser.rest('GET', `/v1/identity-records/${customer.ir}`);
      return body['identity-record']['anonymised-at'] ?? undefined;
    });
    expect(await hangingOn(await recordId(customer.ir))).toEqual([]);
    expect(await auditedTransitions(customer.ir)).toEqual([
      ...['open → closing', 'closing → open'], // the access record of the same Data User
      ...['open → closing', 'closing → closed'], // once, although the request was repeated
      'closed → anonymised',
    ]);
  });

  it('is permitted to the Data User that created the record only', async () => {
    const customer = await newCustomer(dataUser);
    const stranger = graphOf(register, await tokenOf(register, 'data_user', 1));
    expect(failuresOf(await anonymise(customer.ir, stranger))).toEqual(['PRM002 anonymiseIdentityRecord']);
    expect(failuresOf(await anonymise(`ir_${'0'.repeat(24)}`))).toEqual(['NTF001 anonymiseIdentityRecord']);
    for (const role of ['data_provider', 'portal', 'admin', 'analyst', 'supplier'] as const) {
      expect(failuresOf(await anonymise(customer.ir, graphOf(register, await tokenOf(register, role))))).toEqual([
        'PRM001',
      ]);
    }
    expect(failuresOf(await anonymise(customer.ir, graphOf(register)))).toEqual(['AUT001']);
  });

  it('that has started rejects registrations', async () => {
    const customer = await newCustomer(dataUser);
    await owner.query(`update identity.identity_record set closing_at = now() where ref = $1`, [customer.ir]);
    const { status, body } = await dataUser.rest('POST', '/v1/access-records', consentRecord(customer.ir));
    expect([status, body['errors'][0]['error-code']]).toEqual([409, 'CNF003']);
  });
});
