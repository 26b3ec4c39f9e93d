import { newCustomer, newDataUser } from '../../support/customers';
import { type Graph, graphOf } from '../../support/graph';
import { consentRecord } from '../../support/records';
import { sharedRegister } from '../../support/register';
import type { RestClient } from '../../support/rest-client';

describe('The history of a record', () => {
  let dataUser: RestClient;
  let owner: Graph;
  let key: string;
  beforeAll(async () => {
    const register = await sharedRegister();
    const registrant = await newDataUser(register, 'https://larkhill.example/back');
    dataUser = registrant.rest;
    owner = graphOf(register, registrant.token);
    const { ir: ref, key: first } = await newCustomer(registrant);
    key = first;
    for (const purpose of ['two', 'three', 'four', 'five'])
      await dataUser('PUT', `/v1/access-records/${key}`, consentRecord(ref, { purpose }));
    await dataUser('DELETE', `/v1/access-records/${key}`);
  });

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
  ])('has no page of %p entries after the cursor %p', async (first, after, code, field) => {
    expect(await pageOf('versions', 'version', first, after)).toMatchObject({
      code,
      violations: [{ code, path: [field] }],
    });
  });
});
