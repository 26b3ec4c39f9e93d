import type { JsonText } from '../../../../subgraphs/server/graph/json-text';
import { stringify } from '../../../../subgraphs/server/graph/json-text';
import { type TariffGraph, PUBLISH, supplierOf, tariffGraph, tariffInput, trf } from '../../../support/tariff-graph';
import { yearOfRates } from '../../../support/year-of-rates';

const YEAR = 'from: "2027-01-01T00:00:00Z", to: "2028-01-01T00:00:00Z"';
const FIELDS = `from until: to unitPriceExcludingVat unitPriceIncludingVat ...Tiers entry { hours __typename schedule daysAndHours }`;
const FRAGMENT =
  'fragment Tiers on HalfHourPrice { __typename tiers { toKwh unitPriceIncludingVat } tiers { unitPriceExcludingVat } }';

export function yearOfPrices(): void {
  let graph: TariffGraph;
  beforeAll(async () => {
    graph = await tariffGraph();
    await graph.suppliers('LAPW');
    await publish(tariffInput(1, { rates: yearOfRates() }));
  });
  afterAll(() => graph?.close());

  const publish = (input: Record<string, unknown>) => graph.execute(PUBLISH, { input }, supplierOf('LAPW'));

  /** Executes a query as the gateway does for a client, which serialises lists of prices as text. */
  async function written(query: string) {
    const context = { caller: null, service: null, transactionId: `tid_${'0'.repeat(24)}`, clientAddress: '192.0.2.1' };
    const result = await graph.running.link.execute({ query, acceptsText: true }, context);
    return { result, json: JSON.parse(stringify(result)) };
  }

  const oneTariff = (prices: string) => `query { tariff(tariffId: "${trf(1)}") { tariffId ${prices} } } ${FRAGMENT}`;

  describe('A year of half-hourly prices', () => {
    it('is written as text with the values that a list has', async () => {
      const quarter = 'from: "2027-03-01T00:00:00Z", to: "2027-04-01T00:00:00Z"';
      const query = oneTariff(`march: prices(${quarter}) { ${FIELDS} } priceIntervals(${quarter}) { to from }`);
      const { json } = await written(query);
      expect(json).toEqual({ data: await graph.execute(query) });
      expect(json.data.tariff.march).toHaveLength(31 * 48);
    });

    it('is computed once for requests at the same time and later ones', async () => {
      const query = oneTariff(`prices(${YEAR}) { ${FIELDS} }`);
      const results = await Promise.all([written(query), written(query)]);
      results.push(await written(query));
      const texts = results.map(
        ({ result }) => (result.data as unknown as { tariff: { prices: JsonText } }).tariff.prices,
      );
      expect(new Set(texts).size).toBe(1);
      expect(results[0]?.json.data.tariff.prices).toHaveLength(17_520);
    });

    it('has the fields that each query selects, also after another query was cached', async () => {
      const day = 'from: "2027-06-01T00:00:00Z", to: "2027-06-02T00:00:00Z"';
      const keysOf = async (fields: string) => {
        const { json } = await written(`{ tariff(tariffId: "${trf(1)}") { prices(${day}) { ${fields} } } }`);
        return Object.keys(json.data.tariff.prices[0]);
      };
      expect(await keysOf('from')).toEqual(['from']);
      expect(await keysOf('from unitPriceIncludingVat')).toEqual(['from', 'unitPriceIncludingVat']);
      expect(await keysOf('start: from')).toEqual(['start']);
    });

    it('changes with appended prices, also after it was cached', async () => {
      await publish(tariffInput(2, { tariffType: 'DYNAMIC' }));
      const slot = (Math.floor(Date.now() / 1_800_000) + 48) * 1_800_000;
      const [from, to] = [slot, slot + 1_800_000].map((at) => new Date(at).toISOString());
      const query = `{ tariff(tariffId: "${trf(2)}") { prices(from: "${from}", to: "${to}") { unitPriceIncludingVat } } }`;
      const append = `mutation Append($input: AppendTariffPricesInput!) { appendTariffPrices(input: $input) { added changed } }`;
      const priceNow = async () => (await written(query)).json.data.tariff.prices[0].unitPriceIncludingVat;
      expect(await priceNow()).toBe('0.2450');
      for (const unitPrice of ['0.31', '0.32']) {
        await graph.execute(append, { input: { tariffId: trf(2), prices: [{ from, unitPrice }] } }, supplierOf('LAPW'));
        expect(await priceNow()).toBe(unitPrice);
      }
    });

    it('ends a page of whole tariffs early; the next offset continues it', async () => {
      for (const n of [3, 4]) await publish(tariffInput(n, { rates: yearOfRates() }));
      for (const n of [5, 6, 7]) await publish(tariffInput(n));
      const read: string[][] = [];
      for (let offset: number | null = 0; offset !== null;) {
        const { supplier } = await graph.execute(`{ supplier(mpid: "LAPW") {
          tariffPage(limit: 5, offset: ${offset}, boundRates: true) { data { tariffId } meta { nextOffset } } } }`);
        const { data, meta }: { data: { tariffId: string }[]; meta: { nextOffset: number | null } } =
          supplier.tariffPage;
        read.push(data.map(({ tariffId }) => tariffId));
        offset = meta.nextOffset;
      }
      const numbers = [[7, 6, 5, 4], [3, 2], [1]];
      expect(read).toEqual(numbers.map((page) => page.map(trf)));
    });

    it('may be read of one tariff, in a query', async () => {
      const two = oneTariff(`a: prices(${YEAR}) { from } b: prices(${YEAR}) { from }`);
      expect((await written(two)).json.errors).toMatchObject([{ extensions: { code: 'VAL003' } }]);
      expect(await graph.errorOf(oneTariff(`prices(${YEAR}) { from }`))).toBe('VAL003');
    });
  });
}
