import {
  type TariffGraph,
  ADMIN,
  PUBLISH,
  supplierOf,
  tariffGraph,
  tariffInput,
  trf,
} from '../../../support/tariff-graph';

export function endedTariffs(): void {
  let graph: TariffGraph;
  beforeAll(async () => {
    graph = await tariffGraph();
    await graph.suppliers('LAPW');
  });
  afterAll(() => graph?.close());

  const publish = (input: Record<string, unknown>, mpid = 'LAPW') =>
    graph.execute(PUBLISH, { input }, supplierOf(mpid));
  const rejected = (input: Record<string, unknown>) => graph.errorOf(PUBLISH, { input }, supplierOf('LAPW'));

  describe('A tariff that is published again', () => {
    it('with another end of its validity or sale moves the end: the version stays, and a changed description is corrected', async () => {
      const { publishTariff: first } = await publish(tariffInput(10, { sellableTo: '2100-01-01T00:00:00Z' }));
      const ends = { sellableTo: '2099-01-01T00:00:00.000Z', validTo: '2101-01-01T00:00:00.000Z' };
      const { publishTariff: moved } = await publish(tariffInput(10, ends));
      expect(moved).toMatchObject({ isNew: false, isChanged: true, tariff: { version: 1 } });
      expect(Date.parse(moved.tariff.lastModified)).toBeGreaterThan(Date.parse(first.tariff.lastModified));
      const later = { ...ends, validTo: '2102-01-01T00:00:00.000Z' };
      const { publishTariff: both } = await publish(tariffInput(10, { ...later, name: 'Renamed' }));
      expect(both).toMatchObject({ isChanged: true, tariff: { version: 2, name: 'Renamed' } });
      const { publishTariff: again } = await publish(tariffInput(10, { ...later, name: 'Renamed' }));
      expect(again).toMatchObject({ isChanged: false, tariff: both.tariff });
      const { tariff } = await graph.execute(`{ tariff(tariffId: "${trf(10)}") { validTo sellableTo } }`);
      expect(tariff).toEqual(later);
      expect(await rejected(tariffInput(10, { ...later, validTo: '2026-02-01T00:00:00Z' }))).toBe('CNF005 validTo');
      expect(await rejected(tariffInput(10, { ...later, sellableTo: null }))).toBe('CNF005 sellableTo');
    });

    it('is modified later than before although the clock was set back, so that no follower of the list misses the change', async () => {
      await graph.moveClock(3_600);
      let { publishTariff: last } = await publish(tariffInput(11));
      await graph.moveClock(0);
      for (const change of [{ validTo: '2101-01-01T00:00:00.000Z' }, { name: 'Renamed' }]) {
        const { publishTariff: next } = await publish(
          tariffInput(11, { validTo: '2101-01-01T00:00:00.000Z', ...change }),
        );
        expect(next.isChanged).toBe(true);
        expect(Date.parse(next.tariff.lastModified)).toBeGreaterThan(Date.parse(last.tariff.lastModified));
        last = next;
      }
    });
  });

  describe('A tariff that a standby had not received when it took over', () => {
    it('has the rates of its second publication', async () => {
      const { tariffId, rates, ...published } = tariffInput(12);
      const dearer = JSON.parse(JSON.stringify(rates).replaceAll('0.245', '0.345')) as object[];
      const shown = `{ tariff(tariffId: "${tariffId}") { rates { daysAndHours { hours { rate { unitPrice } } } }
        prices(from: "2026-02-01T00:00:00Z", to: "2026-02-01T00:30:00Z") { unitPriceIncludingVat } } }`;
      await publish({ ...published, tariffId, rates });
      const before = await graph.execute(shown);
      await graph.owner.query(`begin; set local session_replication_role = replica;
        delete from tariff where tariff_id = '${tariffId}'; delete from tariff_version where tariff_id = '${tariffId}';
        delete from tariff_rates where tariff_id = '${tariffId}'; commit`);
      await publish({ ...published, tariffId, rates: dearer });
      expect(JSON.stringify(await graph.execute(shown))).toBe(JSON.stringify(before).replaceAll('0.245', '0.345'));
      expect(JSON.stringify(before)).toContain('0.245');
    });
  });

  describe('The tariffs of a supplier that is disabled or removed', () => {
    it('are not listed, and are read by their id with its status', async () => {
      await graph.suppliers('RUFF', 'KNOT');
      await publish(tariffInput(30), 'RUFF');
      await publish(tariffInput(31), 'KNOT');
      const read = async () => {
        const list = '{ tariffs(first: 100) { totalCount nodes { tariffId } } ';
        const own =
          'supplier(mpid: "RUFF") { tariffs(first: 1) { totalCount } tariffPage { data { tariffId } meta { total } } ';
        const one = `tariff(tariffId: "${trf(30)}") { supplierStatus } } tariff(tariffId: "${trf(30)}") { supplierStatus } }`;
        const { tariffs, supplier, tariff } = await graph.execute(`${list}${own}${one}`);
        const ids = tariffs.nodes.map(({ tariffId }: { tariffId: string }) => tariffId);
        expect(tariffs.totalCount).toBe(ids.length);
        expect(ids).toContain(trf(31));
        const counts = [supplier.tariffs.totalCount, supplier.tariffPage.data.length, supplier.tariffPage.meta.total];
        return [ids.includes(trf(30)), counts, supplier.tariff.supplierStatus, tariff.supplierStatus];
      };
      const set = (status: string) =>
        graph.execute(`mutation { setSupplierStatus(mpid: "RUFF", status: ${status}) { mpid } }`, {}, ADMIN);
      expect(await read()).toEqual([true, [1, 1, 1], null, null]);
      for (const [status, isListed] of [
        ['SUSPENDED', true],
        ['DISABLED', false],
        ['ACTIVE', true],
        ['REMOVED', false],
      ] as const) {
        await set(status);
        const shown = status === 'ACTIVE' ? null : status;
        const count = isListed ? 1 : 0;
        expect(await read()).toEqual([isListed, [count, count, count], shown, shown]);
      }
    });
  });
}
