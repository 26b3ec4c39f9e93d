import { SPLIT_WRAPPED_WINDOWS } from '../../../../subgraphs/tariffs/migrations/0006-tariff-reading';
import { MODIFY_SPLIT_TARIFFS } from '../../../../subgraphs/tariffs/migrations/0008-modified-prices';
import { window } from '../../../support/tariff-examples';
import {
  type TariffGraph,
  ADMIN,
  PUBLISH,
  supplierOf,
  tariffGraph,
  tariffInput,
  trf,
} from '../../../support/tariff-graph';

export function tariffPrices(): void {
  let graph: TariffGraph;
  beforeAll(async () => {
    graph = await tariffGraph();
    await graph.suppliers('LAPW', 'FELL');
  });
  afterAll(() => graph?.close());

  const publish = (input: Record<string, unknown>) => graph.execute(PUBLISH, { input }, supplierOf('LAPW'));

  describe('The prices of a tariff', () => {
    const prices = (number: number, from: string, to: string) =>
      `{ tariff(tariffId: "${trf(number)}") { prices(from: "${from}", to: "${to}") {
      from to unitPriceExcludingVat unitPriceIncludingVat tiers { toKwh unitPriceIncludingVat } entry { schedule daysAndHours hours } } } }`;

    it('are returned per half-hour, with and without VAT, and with the path of the rate', async () => {
      await publish(tariffInput(40));
      const { tariff } = await graph.execute(prices(40, '2026-02-01T00:00:00Z', '2026-02-01T01:00:00Z'));
      expect(tariff.prices).toEqual(
        [
          ['2026-02-01T00:00:00.000Z', '2026-02-01T00:30:00.000Z'],
          ['2026-02-01T00:30:00.000Z', '2026-02-01T01:00:00.000Z'],
        ].map(([from, to]) => ({
          ...{ from, to, unitPriceExcludingVat: '0.2333333', unitPriceIncludingVat: expect.stringMatching(/^0\.245/) },
          tiers: [{ toKwh: null, unitPriceIncludingVat: expect.stringMatching(/^0\.245/) }],
          entry: { schedule: 0, daysAndHours: 0, hours: 0 },
        })),
      );
    });

    it('number 46 and 50 on the two days on which the clocks change', async () => {
      await publish(tariffInput(41));
      const spring = await graph.execute(prices(41, '2026-03-29T00:00:00Z', '2026-03-29T23:00:00Z'));
      const autumn = await graph.execute(prices(41, '2026-10-24T23:00:00Z', '2026-10-26T00:00:00Z'));
      expect([spring, autumn].map(({ tariff }) => tariff.prices.length)).toEqual([46, 50]);
    });

    it('are returned as exact intervals, of windows at any minute and past midnight', async () => {
      const economy = [window('00:20', '07:20', '0.10'), window('07:20', '00:20', '0.30')];
      await publish(
        tariffInput(43, { rates: [{ months: ['ALL'], daysAndHours: [{ days: ['ALL'], hours: economy }] }] }),
      );
      const { tariff } = await graph.execute(`{ tariff(tariffId: "${trf(43)}") {
        priceIntervals(from: "2026-10-24T22:50:00Z", to: "2026-10-25T08:00:00Z") { from to unitPriceIncludingVat entry { hours } } } }`);
      expect(tariff.priceIntervals).toEqual(
        [
          ['2026-10-24T22:50', '2026-10-24T23:20', '0.30', 1],
          ['2026-10-24T23:20', '2026-10-25T07:20', '0.10', 0],
          ['2026-10-25T07:20', '2026-10-25T08:00', '0.30', 1],
        ].map(([from, to, unitPriceIncludingVat, hours]) => ({
          ...{ from: `${from}:00.000Z`, to: `${to}:00.000Z`, unitPriceIncludingVat, entry: { hours } },
        })),
      );
    });

    it('stay the same where windows were stored that wrapped past midnight within their day', async () => {
      const night = [window('22:00', '06:00', '0.10'), window('06:00', '22:00', '0.30')];
      const weekend = [window('00:00', '00:00', '0.20')];
      const everyDay = [{ months: ['All'], daysAndHours: [{ days: ['All'], hours: night }] }];
      const week = (hours: object[]) => [
        {
          months: ['All'],
          daysAndHours: [
            { days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'], hours },
            { days: ['All'], hours: weekend },
          ],
        },
      ];
      await publish(tariffInput(44));
      await publish(tariffInput(45));
      const stored = (id: number, rates: object) =>
        `update tariff_rates set rates = '${JSON.stringify(rates)}' where tariff_id = '${trf(id)}'`;
      const results = (await graph.owner.query(`begin; set local search_path = tariffs, register;
        alter table tariff_rates disable trigger append_only; ${stored(44, week(night))}; ${stored(45, everyDay)};
        ${SPLIT_WRAPPED_WINDOWS}; ${MODIFY_SPLIT_TARIFFS};
        select rates from tariff_rates where tariff_id in ('${trf(44)}', '${trf(45)}') order by tariff_id;
        select tariff_id from tariff where last_modified = register_now(); rollback`)) as unknown as {
        rows: { rates: object }[];
      }[];
      const split = [
        window('00:00', '06:00', '0.10'),
        window('22:00', '00:00', '0.10'),
        window('06:00', '22:00', '0.30'),
      ];
      expect(results.at(-2)?.rows).toEqual([{ tariff_id: trf(44) }]);
      expect(results.at(-3)?.rows.map(({ rates }) => rates)).toEqual([week(split), everyDay]);
    });

    it('are limited to whole half-hours and to one year, over all tariffs of a request', async () => {
      await publish(tariffInput(42));
      const wrong = [
        prices(42, '2026-02-01T00:10:00Z', '2026-02-02T00:00:00Z'),
        prices(42, '2026-02-02T00:00:00Z', '2026-02-01T00:00:00Z'),
        prices(42, '2026-02-01T00:00:00Z', '2027-02-03T00:00:00Z'),
        `{ tariff(tariffId: "${trf(42)}") {
        a: prices(from: "2026-02-01T00:00:00Z", to: "2027-01-01T00:00:00Z") { from }
        b: prices(from: "2026-02-01T00:00:00Z", to: "2027-01-01T00:00:00Z") { from } } }`,
      ];
      for (const query of wrong) expect(await graph.errorOf(query)).toMatch(/^VAL003/);
    });
  });

  describe('Appended prices', () => {
    const APPEND = `mutation Append($input: AppendTariffPricesInput!) { appendTariffPrices(input: $input) { added changed } }`;
    const tomorrow = (Math.floor(Date.now() / 1_800_000) + 48) * 1_800_000;
    const slot = (minutes: number) => new Date(tomorrow + minutes * 60_000).toISOString();
    const append = (number: number, prices: [string, string][], mpid = 'LAPW') => ({
      query: APPEND,
      variables: { input: { tariffId: trf(number), prices: prices.map(([from, unitPrice]) => ({ from, unitPrice })) } },
      caller: supplierOf(mpid),
    });
    const done = async ({ query, variables, caller }: ReturnType<typeof append>) =>
      (await graph.execute(query, variables, caller)).appendTariffPrices;
    const rejectedFields = ({ query, variables, caller }: ReturnType<typeof append>) =>
      graph.errorOf(query, variables, caller);
    const pricesOf = async (number: number, from: string, to: string) => {
      const { tariff } = await graph.execute(
        `{ tariff(tariffId: "${trf(number)}") { prices(from: "${from}", to: "${to}") { from unitPriceIncludingVat entry { hours } } } }`,
      );
      return tariff.prices.map((price: Record<string, unknown>) => [
        price['from'],
        price['unitPriceIncludingVat'],
        price['entry'],
      ]);
    };

    it('precede the rates of a dynamic tariff, may change until they start, and may be repeated', async () => {
      await publish(tariffInput(60, { tariffType: 'DYNAMIC' }));
      const prices: [string, string][] = [
        [slot(0), '0.10'],
        [slot(30), '0.20'],
      ];
      expect(await done(append(60, prices))).toEqual({ added: 2, changed: 0 });
      expect(await done(append(60, [[slot(30), '0.200'], ...prices.slice(0, 1)]))).toEqual({ added: 0, changed: 0 });
      expect(
        await done(
          append(60, [
            [slot(30), '0.20'],
            [slot(0), '0.11'],
          ]),
        ),
      ).toEqual({ added: 0, changed: 1 });
      const rate = { hours: 0 };
      expect(await pricesOf(60, slot(-30), slot(90))).toEqual([
        [slot(-30), expect.any(String), rate],
        [slot(0), '0.11', null],
        [slot(30), '0.20', null],
        [slot(60), expect.any(String), rate],
      ]);
    });

    it('apply to whole half-hours, also where the rates change within one', async () => {
      const time = (hour: number, minute: number) => `${String(hour % 24).padStart(2, '0')}:${minute}`;
      const hours = Array.from({ length: 24 }, (_, hour) => [
        window(time(hour, 10), time(hour, 40), '0.10'),
        window(time(hour, 40), time(hour + 1, 10), '0.30'),
      ]).flat();
      const rates = [{ months: ['ALL'], daysAndHours: [{ days: ['ALL'], hours }] }];
      await publish(tariffInput(77, { tariffType: 'DYNAMIC', rates }));
      expect(await pricesOf(77, slot(0), slot(30))).toHaveLength(2);
      await done(append(77, [[slot(0), '0.20']]));
      expect(await pricesOf(77, slot(0), slot(30))).toEqual([[slot(0), '0.20', null]]);
    });

    it('are joined to one interval where they are equal', async () => {
      await publish(tariffInput(66, { tariffType: 'DYNAMIC' }));
      await done(
        append(
          66,
          [0, 30, 60, 90].map((minutes) => [slot(minutes), minutes < 60 ? '0.30' : '0.31']),
        ),
      );
      const { tariff } = await graph.execute(`{ tariff(tariffId: "${trf(66)}") {
        priceIntervals(from: "${slot(-15)}", to: "${slot(120)}") { from to unitPriceIncludingVat } } }`);
      const intervals = tariff.priceIntervals.map(({ from, to }: { from: string; to: string }) => [from, to]);
      expect(intervals).toEqual([
        [slot(-15), slot(0)],
        [slot(0), slot(60)],
        [slot(60), slot(120)],
      ]);
    });

    it('are counted by the call that stores them, of several at the same time', async () => {
      await publish(tariffInput(67, { tariffType: 'DYNAMIC' }));
      const prices = Array.from({ length: 48 }, (_, index): [string, string] => [slot(index * 30), '0.10']);
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => done(append(67, prices))));
      expect(outcomes.map(({ added }) => added).toSorted()).toEqual([0, 0, 0, 48]);
    });

    it('modify the tariff, so that lists of modified tariffs contain it; a repeated call does not', async () => {
      await publish(tariffInput(64, { tariffType: 'DYNAMIC' }));
      const modifiedAt = async () =>
        (await graph.execute(`{ tariff(tariffId: "${trf(64)}") { lastModified } }`)).tariff.lastModified;
      const since = async (instant: string) => {
        const { tariffs } = await graph.execute(
          `{ tariffs(first: 100, filter: { modifiedSince: "${instant}" }) { nodes { tariffId } } }`,
        );
        return tariffs.nodes.some(({ tariffId }: { tariffId: string }) => tariffId === trf(64));
      };
      const published = new Date(await modifiedAt());
      const later = new Date(published.getTime() + 1).toISOString();
      expect(await since(later)).toBe(false);
      await done(append(64, [[slot(0), '0.10']]));
      expect(await since(later)).toBe(true);
      const appended = await modifiedAt();
      await done(append(64, [[slot(0), '0.10']]));
      expect(await modifiedAt()).toBe(appended);
      const touch = (number: number) =>
        `update tariff set last_modified = register_now() where tariff_id = '${trf(number)}'`;
      await publish(tariffInput(65));
      await expect(graph.owner.query(touch(65))).rejects.toThrow('never change');
    });

    it('are never set or changed after their half-hour has started', async () => {
      await publish(tariffInput(61, { tariffType: 'DYNAMIC' }));
      const started = '2026-02-01T00:00:00.000Z';
      expect(
        await rejectedFields(
          append(61, [
            [slot(0), '0.10'],
            [started, '0.10'],
          ]),
        ),
      ).toBe('CNF005 prices.1.from');
      expect(await pricesOf(61, slot(0), slot(30))).toEqual([[slot(0), expect.any(String), { hours: 0 }]]);
      const insert = `insert into tariff_price (tariff_id, valid_from, unit_price, account_id) values ('${trf(61)}', '${started}', '0.10', 'acc')`;
      await expect(graph.owner.query(insert)).rejects.toThrow('have begun never change');
    });

    it('are not added for a removed supplier, not even by an admin', async () => {
      await graph.suppliers('DUNL');
      await graph.execute(PUBLISH, { input: tariffInput(68, { tariffType: 'DYNAMIC' }) }, supplierOf('DUNL'));
      const { query, variables } = append(68, [[slot(0), '0.10']]);
      const byAdmin = { input: { ...variables.input, mpid: 'DUNL' } };
      expect((await graph.execute(query, byAdmin, ADMIN)).appendTariffPrices).toEqual({ added: 1, changed: 0 });
      await graph.execute('mutation { setSupplierStatus(mpid: "DUNL", status: REMOVED) { mpid } }', {}, ADMIN);
      expect(await graph.errorOf(query, byAdmin, ADMIN)).toBe('CNF001');
    });

    it('are added to dynamic tariffs only, by their own supplier, within their validity', async () => {
      await publish(tariffInput(62, { tariffType: 'DYNAMIC', validTo: slot(0) }));
      await publish(tariffInput(63));
      expect(
        await rejectedFields(
          append(62, [
            [slot(-30), '0.1'],
            [slot(-15), '0.10'],
            [slot(-30), '0.10'],
          ]),
        ),
      ).toMatch(/^VAL00[13] prices\.0\.unitPrice prices\.1\.from prices\.2\.from$/);
      expect(await rejectedFields(append(62, []))).toBe('VAL003 prices');
      expect(await rejectedFields(append(62, [[slot(0), '0.10']]))).toBe('VAL003 prices.0.from');
      const startedAndPassed: [string, string][] = [
        ['2026-02-01T00:00:00.000Z', '0.10'],
        [slot(0), '0.10'],
      ];
      expect(await rejectedFields(append(62, startedAndPassed))).toMatch(/ prices\.1\.from prices\.0\.from$/);
      expect(await rejectedFields(append(63, [[slot(0), '0.10']]))).toBe('VAL003 tariffId');
      expect(await rejectedFields(append(62, [[slot(-30), '0.10']], 'FELL'))).toBe('PRM002');
      expect(await rejectedFields(append(999, [[slot(-30), '0.10']]))).toBe('NTF003');
    });
  });
}
