import { type DataUser, newDataUser, newMpxn } from '../../support/customers';
import { type Graph, failuresOf, graphAs, graphOf } from '../../support/graph';
import { consentRecord } from '../../support/records';
import { type SharedRegister, sharedRegister, usualWirings } from '../../support/register';
import { type RestClient, anonymousClient, signedInClient } from '../../support/rest-client';

const HISTORY = `query ($key: AccessKey!) { accessRecord(key: $key) {
  transitions { nodes { from to cause reason at } } versions { nodes { version legalBasis expiry recordedAt } }
} }`;

describe.each(usualWirings())('A lawful access to meter data (%s)', (wiring) => {
  let register: SharedRegister;
  let dataUser: RestClient;
  let dataProvider: RestClient;
  let owner: Graph;
  let registrant: DataUser;
  let ir: string;
  const mpxn = newMpxn();
  beforeAll(async () => {
    register = await sharedRegister(wiring);
    registrant = await newDataUser(register, 'https://larkhill.example/back');
    dataUser = registrant.rest;
    dataProvider = await signedInClient(register, 'data_provider');
    owner = graphOf(register, registrant.token);
    const identity = {
      'pii-principal': {
        mpxn,
        'move-in-date': '2024-09-01',
        address: { addressLine1: '3 Weir Lane', townCity: 'Exampleford', postcode: 'EX1 2PQ' },
      },
      'expressed-by': 'data-subject',
    };
    ir = String((await dataUser('POST', '/v1/identity-records', identity)).body['ir']);
  });

  const registered = async (
    change: (record: ReturnType<typeof consentRecord>) => void = () => undefined,
  ): Promise<string> => {
    const record = consentRecord(ir);
    change(record);
    const { status, body } = await dataUser('POST', '/v1/access-records', record);
    expect(status).toBe(201);
    return String(body['access-token'].key);
  };
  const verified = async (key: string) =>
    (await dataProvider('GET', `/v1/access-records/${key}`)).body['access-record'];

  it.each([
    'customer-request',
    'contract-ended',
    'lia-lapsed',
    'statutory-authority-lapsed',
    'data-no-longer-required',
    'other',
  ])('keeps the reason of its revocation: %s', async (reason) => {
    const key = await registered();
    expect((await dataUser('DELETE', `/v1/access-records/${key}?reason=${reason}`)).status).toBe(200);
    const { data } = await owner(HISTORY, { key });
    const expected = { to: 'REVOKED', reason: reason.toUpperCase().replaceAll('-', '_') };
    expect(data.accessRecord.transitions.nodes[1]).toMatchObject(expected);
  });

  it('shows the back office nothing by which the records of one person can be joined', async () => {
    const key = await registered(
      (record) => void Object.assign(record['access-event'], { 'controller-reference': 'CUSTOMER 4711' }),
    );
    const FIELDS = 'recordMetadata { identityRecordRef } accessEvent { controllerReference }';
    const own = await owner(`query ($key: AccessKey!) { accessRecord(key: $key) { id ${FIELDS} } }`, { key });
    const { id, ...references } = own.data.accessRecord;
    expect(references).toMatchObject({
      recordMetadata: { identityRecordRef: ir },
      accessEvent: { controllerReference: 'CUSTOMER 4711' },
    });
    for (const role of ['admin', 'analyst'] as const) {
      const backOffice = await graphAs(register, role);
      for (const conditions of ['', `, duid: "${registrant.duid}"`]) {
        const { data } = await backOffice(`{ allAccessRecords(first: 100${conditions}) { nodes { id ${FIELDS} } } }`);
        const listed = (data.allAccessRecords.nodes as { id: string }[]).find((record) => record.id === id);
        expect(listed).toMatchObject({
          recordMetadata: { identityRecordRef: null },
          accessEvent: { controllerReference: null },
        });
      }
    }
  });

  it('is listed for the back office by Data User, and counted by state and legal basis', async () => {
    await registered();
    const analyst = await graphAs(register, 'analyst');
    const { data } = await analyst(
      `query ($duid: DUID!) {
        allAccessRecords(duid: $duid) { totalCount nodes { state legalBasis recordMetadata { duid } } }
        accessRecordCounts(duid: $duid) { state legalBasis total }
        whole: accessRecordCounts { total } }`,
      { duid: registrant.duid },
    );
    type Listed = { state: string; legalBasis: string; recordMetadata: { duid: string } };
    type Counted = { state: string; legalBasis: string; total: number };
    const records = data.allAccessRecords.nodes as Listed[];
    expect(new Set(records.map(({ recordMetadata }) => recordMetadata.duid))).toEqual(new Set([registrant.duid]));
    const listed = (data.accessRecordCounts as Counted[]).map(({ state, legalBasis }) => ({
      ...{ state, legalBasis },
      total: records.filter((each) => each.state === state && each.legalBasis === legalBasis).length,
    }));
    expect(data.accessRecordCounts).toEqual(listed);
    expect(listed.reduce((sum, { total }) => sum + total, 0)).toBe(records.length);
    expect(data.allAccessRecords.totalCount).toBe(records.length);
    const sum = (data.whole as { total: number }[]).reduce((total, each) => total + each.total, 0);
    expect(sum).toBeGreaterThan(records.length); // other Data Users of the sandbox have records, too
  });

  it('is counted for each Data User, in pages by DUID', async () => {
    await registered();
    const analyst = await graphAs(register, 'analyst');
    type Counts = { dataUser: { duid: string; displayName: string }; counts: { state: string; total: number }[] };
    const page = async (first: number, after: string | null) => {
      const { data } = await analyst(
        `query ($first: Int!, $after: String) { accessRecordCountsByDataUser(first: $first, after: $after) {
          nextCursor nodes { dataUser { duid displayName } counts { state legalBasis total } } } }`,
        { first, after },
      );
      return data.accessRecordCountsByDataUser as { nextCursor: string | null; nodes: Counts[] };
    };
    const listed: Counts[] = [];
    let next = await page(1, null);
    expect(next.nodes).toHaveLength(1);
    while (listed.push(...next.nodes) && next.nextCursor !== null) next = await page(200, next.nextCursor);
    const duids = listed.map((each) => each.dataUser.duid);
    expect(duids).toEqual([...new Set(duids)].toSorted());
    expect(duids).toContain(registrant.duid);
    const own = listed.find((each) => each.dataUser.duid === registrant.duid);
    const { data } = await analyst(
      `query ($duid: DUID!) { accessRecordCounts(duid: $duid) { state legalBasis total }
        allAccessRecords(duid: $duid, state: ACTIVE) { totalCount } }`,
      { duid: registrant.duid },
    );
    expect(own?.counts).toEqual(data.accessRecordCounts);
    const active = (own?.counts ?? []).filter(({ state }) => state === 'ACTIVE');
    expect(active.reduce((sum, { total }) => sum + total, 0)).toBe(data.allAccessRecords.totalCount);
    expect(failuresOf(await analyst('{ accessRecordCountsByDataUser(after: "!") { nextCursor } }'))).toEqual([
      'VAL001 accessRecordCountsByDataUser',
    ]);
  });

  describe('from consent to its withdrawal', () => {
    let key: string;

    it('starts when the Data User registers the consent of the customer', async () => {
      key = await registered();
      expect(key).toMatch(/^ak_[0-9a-f]{24}$/);
    });

    it('lets the Data Provider release data: ACTIVE, not ended, a registered controller, covered data types', async () => {
      const record = await verified(key);
      expect(record['access-event']).toMatchObject({ state: 'ACTIVE', expiry: null });
      expect(record['record-metadata']['controller-arrangement'].controllers[0].name).toBe(
        'Harbourlight Energy Insight Ltd',
      );
      expect(record.processing['data-types']).toContain('HH-CONSUMPTION');
      for (const personal of [mpxn, 'Weir Lane', 'EX1 2PQ']) expect(JSON.stringify(record)).not.toContain(personal);
    });

    it('names the Data User, whom the Data Provider finds in good standing', async () => {
      const { duid } = (await verified(key))['record-metadata'];
      const { body } = await dataProvider('GET', `/v1/data-users/${duid}`);
      expect(body['data-user']).toMatchObject({
        duid: registrant.duid,
        status: 'active',
      });
    });

    it('is narrowed by the Data User, who had read the version that it replaces', async () => {
      const { headers } = await dataUser('GET', `/v1/access-records/${key}`);
      const narrowed = consentRecord(ir, { purpose: 'Find a better tariff for the night' });
      const ifMatch = { 'if-match': String(headers.get('etag')) };
      const replaced = await dataUser('PUT', `/v1/access-records/${key}`, narrowed, ifMatch);
      expect([replaced.status, replaced.headers.get('etag')]).toEqual([200, '"2"']);
      const late = await dataUser('PUT', `/v1/access-records/${key}`, narrowed, ifMatch);
      expect([late.status, late.body['errors'][0]['error-code']]).toEqual([412, 'CND001']);
      expect((await verified(key)).processing.purpose).toBe('Find a better tariff for the night');
    });

    it('ends at the moment at which the customer withdraws', async () => {
      const revoked = await dataUser('DELETE', `/v1/access-records/${key}?reason=customer-request`);
      expect(revoked.status).toBe(200);
      const record = await verified(key);
      expect(record['access-event']).toMatchObject({ state: 'REVOKED', 'revoked-at': revoked.body['revoked-at'] });
    });

    it('shows every version and transition to its owner and the back office', async () => {
      const { data, errors } = await owner(HISTORY, { key });
      expect(errors).toEqual([]);
      const versions = data.accessRecord.versions.nodes;
      const transitions = data.accessRecord.transitions.nodes;
      expect(versions.map(({ version }: { version: number }) => version)).toEqual([1, 2]);
      expect(transitions).toEqual([
        { from: null, to: 'ACTIVE', cause: 'REGISTERED', reason: null, at: expect.any(String) },
        {
          from: 'ACTIVE',
          to: 'REVOKED',
          cause: 'REVOKED',
          reason: 'CUSTOMER_REQUEST',
          at: (await verified(key))['access-event']['revoked-at'],
        },
      ]);
      expect((await (await graphAs(register, 'analyst'))(HISTORY, { key })).data).toEqual(data);
    });

    it('hides its history from all other callers, and nothing else of the record', async () => {
      const query =
        'query ($key: AccessKey!) { accessRecord(key: $key) { state transitions { nextCursor } versions { nextCursor } } }';
      const { data } = await (await graphAs(register, 'data_provider'))(query, { key });
      expect(data).toEqual({ accessRecord: { state: 'REVOKED', transitions: null, versions: null } });
      for (const role of ['data_provider', 'portal', 'supplier'] as const) {
        const response = await (await graphAs(register, role))(HISTORY, { key });
        expect(new Set(failuresOf(response).map((failure) => failure.split(' ')[0]))).toEqual(new Set(['PRM002']));
      }
      expect(failuresOf(await (await graphAs(register, 'data_user', 1))(HISTORY, { key }))).toContain(
        'PRM002 accessRecord.transitions',
      );
      const versions = 'query ($key: AccessKey!) { accessRecord(key: $key) { versions { nodes { version } } } }';
      expect(failuresOf(await graphOf(register)(HISTORY, { key }))).toEqual([
        'AUT001 accessRecord.transitions',
        'AUT001 accessRecord.versions',
      ]);
      expect(failuresOf(await graphOf(register)(versions, { key }))).toEqual(['AUT001 accessRecord.versions']);
    });
  });

  it('expires when it is replaced with a past expiry', async () => {
    const key = await registered();
    const ended = consentRecord(ir);
    Object.assign(ended['access-event'], { expiry: new Date(Date.now() - 60_000).toISOString() });
    expect((await dataUser('PUT', `/v1/access-records/${key}`, ended)).status).toBe(200);
    const { data } = await owner(HISTORY, { key });
    expect(
      data.accessRecord.transitions.nodes.map(({ from, to, cause }: Record<string, unknown>) => [from, to, cause]),
    ).toEqual([
      [null, 'ACTIVE', 'REGISTERED'],
      ['ACTIVE', 'EXPIRED', 'REPLACED'],
    ]);
  });

  it('can be changed by its owner only, and other attempts leave no trace', async () => {
    const key = await registered();
    const other = await signedInClient(register, 'data_user', 1);
    const attempts = [
      await other('PUT', `/v1/access-records/${key}`, consentRecord(ir)),
      await other('DELETE', `/v1/access-records/${key}`),
      await dataProvider('DELETE', `/v1/access-records/${key}`),
      await anonymousClient(register.rest)('DELETE', `/v1/access-records/${key}`),
    ];
    expect(attempts.map(({ status, body }) => `${status} ${body['errors'][0]['error-code']}`)).toEqual([
      '403 PRM002',
      '403 PRM002',
      '403 PRM001',
      '401 AUT001',
    ]);
    const { data } = await owner(HISTORY, { key });
    expect([data.accessRecord.versions.nodes.length, data.accessRecord.transitions.nodes.length]).toEqual([1, 1]);
  });

  it('is linked to an Identity Record of the same Data User only', async () => {
    const other = await signedInClient(register, 'data_user', 1);
    const { status, body } = await other('POST', '/v1/access-records', consentRecord(ir));
    expect([status, body['errors'][0]['error-code']]).toEqual([403, 'PRM002']);
  });

  it('can be sent back as it was read, except for fields that the register sets', async () => {
    const key = await registered();
    const record = (await dataUser('GET', `/v1/access-records/${key}`)).body['access-record'];
    const unchanged = await dataUser('PUT', `/v1/access-records/${key}`, record);
    expect(unchanged.body['errors'].map((error: Record<string, string>) => error['error-code'])).toEqual([
      'VAL004',
      'VAL004',
    ]);
    delete record['record-metadata']['record-identifier'];
    delete record['record-metadata']['created-at'];
    expect((await dataUser('PUT', `/v1/access-records/${key}`, record)).status).toBe(200);
  });
});
