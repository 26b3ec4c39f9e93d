import { type TariffGraph, PUBLISH, supplierOf, tariffGraph, tariffInput, trf } from '../../../support/tariff-graph';
import { yearOfRates } from '../../../support/year-of-rates';

export function yearOfPrices(): void {
  let graph: TariffGraph;
  beforeAll(async () => {
    graph = await tariffGraph();
    await graph.suppliers('LAPW');
  });
  afterAll(() => graph?.close());

  const publish = (input: Record<string, unknown>) => graph.execute(PUBLISH, { input }, supplierOf('LAPW'));

  describe('Tariffs with a year of half-hourly prices', () => {
    it('end a page of whole tariffs early; the next offset continues it', async () => {
      for (const n of [1, 2, 3, 4, 5, 6, 7])
        await publish(tariffInput(n, [1, 3, 4].includes(n) ? { rates: yearOfRates() } : {}));
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

    it('end a page of the list with prices early; the next cursor continues it', async () => {
      const read: string[][] = [];
      for (let after: string | null = ''; after !== null;) {
        const { tariffs } = await graph.execute(
          `query ($after: String) { tariffs(first: 5, after: $after, boundRates: true) {
            nodes { tariffId prices(from: "2026-07-01T00:00:00Z", to: "2026-07-02T00:00:00Z") { from } } nextCursor } }`,
          { after: after || null },
        );
        const { nodes, nextCursor }: { nodes: { tariffId: string }[]; nextCursor: string | null } = tariffs;
        read.push(nodes.map(({ tariffId }) => tariffId));
        after = nextCursor;
      }
      expect(read).toEqual([[7, 6, 5, 4], [3, 2], [1]].map((page) => page.map(trf)));
    });

    it('are rejected with 100 violations, in order, when all prices are published again with another value', async () => {
      await publish(tariffInput(8, { rates: yearOfRates() }));
      const rates: unknown = JSON.parse(JSON.stringify(yearOfRates()).replaceAll('"0.', '"1.'));
      const [code, ...paths] = (
        await graph.errorOf(PUBLISH, { input: tariffInput(8, { rates }) }, supplierOf('LAPW'))
      ).split(' ');
      const first = (day: number, hour: number) => `rates.${day}.daysAndHours.0.hours.${hour}.rate.0.unitPrice`;
      expect([code, paths.length, paths[0], paths[99]]).toEqual(['CNF005', 100, first(0, 0), first(2, 3)]);
    });
  });
}
