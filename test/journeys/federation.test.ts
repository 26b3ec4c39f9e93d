import { type Graph, failuresOf, graphAs, graphOf } from '../support/graph';
import { type TestRegister, startTestRegister, usualWirings } from '../support/register';

const ACROSS = `query Across($key: AccessKey!) {
  accessRecord(key: $key) { dataUser { displayName } identityRecord { address { postcode } } }
}`;
const DISPLAY_NAME = 'Harbourlight Energy Insight Ltd';
const POSTCODE = 'NR1 4AB';

describe.each(usualWirings())('A query across subgraphs (%s)', (wiring) => {
  let register: TestRegister;
  let key: string;
  let owner: Graph;
  let other: Graph;
  beforeAll(async () => {
    register = await startTestRegister(wiring);
    key = register.sandbox.samples.access_keys.active;
    owner = await graphAs(register, 'data_user');
    other = await graphAs(register, 'data_user', 1);
  });
  afterAll(() => register.close());

  it('answers the Data User that registered the record in full', async () => {
    const { status, data, errors } = await owner(ACROSS, { key });
    expect({ status, data, errors }).toEqual({
      status: 200,
      data: {
        accessRecord: { dataUser: { displayName: DISPLAY_NAME }, identityRecord: { address: { postcode: POSTCODE } } },
      },
      errors: [],
    });
  });

  it('tells another Data User that it is not the owner, and no address', async () => {
    const answer = await other(ACROSS, { key });
    expect(answer.data).toEqual({ accessRecord: { dataUser: { displayName: DISPLAY_NAME }, identityRecord: null } });
    expect(failuresOf(answer)).toEqual(['PRM002 accessRecord.identityRecord']);
    expect(answer.text).not.toContain(POSTCODE);
  });

  it('asks for a token where the directory and the Identity Record begin', async () => {
    const answer = await graphOf(register)(ACROSS, { key });
    expect(answer.data).toEqual({ accessRecord: { dataUser: null, identityRecord: null } });
    expect(failuresOf(answer).toSorted()).toEqual([
      'AUT001 accessRecord.dataUser',
      'AUT001 accessRecord.identityRecord',
    ]);
    expect(answer.text).not.toContain(POSTCODE);
  });

  it.each(['admin', 'analyst', 'data_provider', 'portal', 'supplier', 'communications_operator'] as const)(
    'shows the Identity Record to no %s',
    async (role) => {
      const answer = await (await graphAs(register, role))(ACROSS, { key });
      expect(answer.data).toEqual({ accessRecord: { dataUser: { displayName: DISPLAY_NAME }, identityRecord: null } });
      expect(failuresOf(answer)).toEqual(['PRM002 accessRecord.identityRecord']);
      expect(answer.text).not.toContain(POSTCODE);
    },
  );

  it('shows the back office all records, but neither key nor Identity Record nor meter point', async () => {
    const list = `{ allAccessRecords(first: 2) { totalCount nodes { purpose ak recordMetadata { duid recordIdentifier } identityRecord { piiPrincipal { mpxn } } } } }`;
    for (const role of ['admin', 'analyst'] as const) {
      const answer = await (await graphAs(register, role))(list);
      expect(answer.data.allAccessRecords.totalCount).toBe(9);
      const [node] = answer.data.allAccessRecords.nodes;
      expect(node).toMatchObject({ ak: null, recordMetadata: { recordIdentifier: null }, identityRecord: null });
      expect(new Set(answer.errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['PRM002']));
      expect(answer.text).not.toMatch(/ak_[0-9a-f]{24}|1012345678/);
    }
  });

  it('goes from a meter point to its records to their Identity Records', async () => {
    const { mpxn } = register.sandbox.samples;
    const query = `query ($mpxn: MPxN!) { meterPoint(mpxn: $mpxn) { accessRecords { totalCount nodes { ak identityRecord { piiPrincipal { mpxn } } } } } }`;
    const { data, errors } = await owner(query, { mpxn });
    expect(errors).toEqual([]);
    const { nodes, totalCount } = data.meterPoint.accessRecords;
    expect(nodes).toHaveLength(totalCount);
    expect(nodes.map((node: { ak: string }) => node.ak)).toContain(key);
    for (const node of nodes) expect(node.identityRecord.piiPrincipal.mpxn).toBe(mpxn);
  });

  it('answers several records in one operation, each by its own rule', async () => {
    const query = `query ($mine: AccessKey!, $unknown: AccessKey!) {
      mine: accessRecord(key: $mine) { ...Row } none: accessRecord(key: $unknown) { ...Row } again: accessRecord(key: $mine) { state }
    } fragment Row on AccessRecord { state identityRecord { hasEmail } }`;
    const { data, errors } = await owner(query, { mine: key, unknown: `ak_${'0'.repeat(24)}` });
    expect(errors).toEqual([]);
    expect(data).toEqual({
      mine: { state: 'ACTIVE', identityRecord: { hasEmail: true } },
      none: null,
      again: { state: 'ACTIVE' },
    });
  });

  it('has no way around: neither entities by reference nor what services ask each other', async () => {
    const { data } = await owner('query ($key: AccessKey!) { accessRecord(key: $key) { identityRecord { id } } }', {
      key,
    });
    const { id } = data.accessRecord.identityRecord as { id: string };
    for (const query of [
      `{ _entities(representations: [{ __typename: "IdentityRecord", id: "${id}" }]) { __typename } }`,
      '{ _service { sdl } }',
      `{ identityRecordLinks(refs: ["${register.sandbox.samples.identity_record}"]) { duid } }`,
      '{ admission(accountId: "acc_000000000000000000000000") { status } }',
    ]) {
      const answer = await other(query);
      expect([answer.status, ...failuresOf(answer)]).toEqual([400, 'VAL003']);
    }
  });

  it('carries one transaction id in header and answer', async () => {
    const { headers, extensions } = await owner(ACROSS, { key });
    expect(extensions).toEqual({ transactionId: headers.get('transaction-id') });
    expect(headers.get('transaction-id')).toMatch(/^tid_[0-9a-f]{24}$/);
    expect(headers.get('cache-control')).toBe('no-store');
  });
});
