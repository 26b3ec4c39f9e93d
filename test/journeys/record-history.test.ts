import { Pool } from 'pg';
import { type Graph, graphAs } from '../support/graph';
import { consentRecord, registered } from '../support/records';
import { type TestRegister, startTestRegister } from '../support/register';
import { type RestClient, signedInClient } from '../support/rest-client';

describe('The history of a record', () => {
  let register: TestRegister;
  let dataUser: RestClient;
  let owner: Graph;
  let key: string;
  beforeAll(async () => {
    register = await startTestRegister('one process');
    dataUser = await signedInClient(register, 'data_user');
    owner = await graphAs(register, 'data_user');
    const ref = register.sandbox.samples.identity_record;
    key = await registered(dataUser, ref);
    for (const purpose of ['two', 'three', 'four', 'five'])
      await dataUser('PUT', `/v1/access-records/${key}`, consentRecord(ref, { purpose }));
    await dataUser('DELETE', `/v1/access-records/${key}`);
  });
  afterAll(() => register.close());

  const pageOf = async (list: string, entry: string, first: number, after: string | null) => {
    const query = `query ($key: AccessKey!, $first: Int, $after: String) { accessRecord(key: $key) {
      page: ${list}(first: $first, after: $after) { edges { cursor node { ${entry} } } nodes { ${entry} }
        pageInfo { startCursor endCursor hasPreviousPage hasNextPage } } } }`;
    const { data, errors } = await owner(query, { key, first, after });
    return errors.length > 0 ? errors[0]?.extensions : data.accessRecord.page;
  };

  it.each([
    ['versions', 'version', [1, 2, 3, 4, 5]],
    ['transitions', 'to', ['ACTIVE', 'REVOKED']],
  ])('is read page by page, oldest first: %s', async (list, entry, expected) => {
    const seen: unknown[] = [];
    for (let after: string | null = null, more = true; more;) {
      const { edges, nodes, pageInfo } = await pageOf(list, entry, 1, after);
      expect(edges).toEqual([{ cursor: pageInfo.endCursor, node: nodes[0] }]);
      expect(pageInfo).toMatchObject({ startCursor: edges[0].cursor, hasPreviousPage: after !== null });
      seen.push(nodes[0][entry]);
      ({ endCursor: after, hasNextPage: more } = pageInfo);
    }
    expect(seen).toEqual(expected);
    const whole = await pageOf(list, entry, 100, null);
    expect(whole.nodes.map((node: Record<string, unknown>) => node[entry])).toEqual(expected);
  });

  it.each([
    [0, null, 'VAL003', 'first'],
    [101, null, 'VAL003', 'first'],
    [1, '0', 'VAL001', 'after'],
    [1, 'x', 'VAL001', 'after'],
    [1, '99999999999', 'VAL001', 'after'],
  ])('has no page of %p after %p', async (first, after, code, field) => {
    expect(await pageOf('versions', 'version', first, after)).toMatchObject({
      code,
      violations: [{ code, path: [field] }],
    });
  });

  it('has the expiry that has passed as its last transition, on a page of its own, too', async () => {
    const record = consentRecord(register.sandbox.samples.identity_record);
    const expiry = new Date(Date.now() + 60_000).toISOString();
    Object.assign(record['access-event'], { expiry });
    const { body } = await dataUser('POST', '/v1/access-records', record);
    const admin = await graphAs(register, 'admin');
    await admin('mutation { setClockOffset(seconds: 120) }');
    const query = `query ($key: AccessKey!) { accessRecord(key: $key) {
      all: transitions { nodes { to } } last: transitions(after: "1") { nodes { from to cause at } } none: transitions(after: "2") { nodes { to } } } }`;
    const { data } = await owner(query, { key: body['access-token'].key });
    await admin('mutation { setClockOffset(seconds: 0) }');
    expect(data.accessRecord).toEqual({
      all: { nodes: [{ to: 'ACTIVE' }, { to: 'EXPIRED' }] },
      last: { nodes: [{ from: 'ACTIVE', to: 'EXPIRED', cause: 'EXPIRED', at: expiry }] },
      none: { nodes: [] },
    });
  });

  it('costs a page of records one statement, each record its own part of it', async () => {
    const asked = jest.spyOn(Pool.prototype, 'query');
    const { data, errors } = await owner(
      '{ accessRecords(first: 100) { nodes { version versions(first: 10) { nodes { version } } transitions(first: 10) { nodes { to } } state } } }',
    );
    const names = asked.mock.calls.map(([statement]) => (statement as unknown as { name?: string }).name);
    asked.mockRestore();
    expect(errors).toEqual([]);
    const { nodes } = data.accessRecords;
    expect(nodes.length).toBeGreaterThan(5);
    for (const { version, versions, transitions, state } of nodes) {
      expect(versions.nodes.at(-1)).toEqual({ version });
      expect(versions.nodes).toHaveLength(version);
      expect(transitions.nodes.at(-1)).toEqual({ to: state });
    }
    expect(names.filter((name) => /access_record_(versions|transitions)/.test(name ?? '')).toSorted()).toEqual([
      'access_record_transitions',
      'access_record_versions',
    ]);
  });
});
