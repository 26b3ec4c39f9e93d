import {
  type TariffGraph,
  ADMIN,
  PUBLISH,
  supplierOf,
  tariffGraph,
  tariffInput,
  trf,
} from '../../../support/tariff-graph';

const SAVE_USER = 'mutation ($input: RtiUserInput!) { saveRtiUser(input: $input) { rtiUser { userId } } }';

export function lookups(): void {
  let graph: TariffGraph;
  let userId: string;
  beforeAll(async () => {
    graph = await tariffGraph();
    await graph.suppliers('LAPW');
    await graph.execute(PUBLISH, { input: tariffInput(1) }, supplierOf('LAPW'));
    const input = { name: 'Curlew Insight Ltd', displayName: 'Curlew', support: 'help@curlew.example' };
    userId = (await graph.execute(SAVE_USER, { input }, ADMIN)).saveRtiUser.rtiUser.userId;
  });
  afterAll(() => graph?.close());

  const UNSTORABLE = '\\u0000';

  it.each([
    ['tariff', (id: string) => `{ tariff(tariffId: "${id}") { name } }`, () => trf(1)],
    ['rates', (id: string) => `{ tariff(tariffId: "${id}") { rates { months } } }`, () => trf(1)],
    ['supplier', (id: string) => `{ supplier(mpid: "${id}") { mpid } }`, () => 'LAPW'],
    ['RTI User', (id: string) => `{ rtiUser(userId: "${id}") { name } }`, () => userId],
  ])('that cannot be executed fails no lookup of another client at the same time: %s', async (_, query, id) => {
    const [good, bad] = [query(id()), query(UNSTORABLE)];
    const results = await Promise.allSettled([good, bad, good].map((each) => graph.execute(each)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
}
