import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { ConsoleVisitor } from '../../../support/console-visitor';
import { newMpid } from '../../../support/customers';
import { type Graph, graphAs, graphOf, persistentGraph } from '../../../support/graph';
import { type SharedRegister, sharedRegister } from '../../../support/register';
import { anonymousClient, good, tokenOf } from '../../../support/rest-client';
import { TRANSPORTS } from '../../../support/subscriber';
import { PUBLISH, supplierInput, tariffInput } from '../../../support/tariff-graph';
import { until } from '../../../support/until';
import { priceOfHalfHour, yearOfRates, yearOfStoredRates } from '../../../support/year-of-rates';

const PRICES = `query Year($id: String!, $from: DateTime!, $to: DateTime!) {
  tariff(tariffId: $id) { prices(from: $from, to: $to) { from unitPriceIncludingVat } } }`;

const APPEND =
  'mutation Append($input: AppendTariffPricesInput!) { appendTariffPrices(input: $input) { added changed } }';

const identifier = () => `trf_${randomBytes(16).toString('hex')}`;

const LONDON = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/London',
  ...({ month: 'numeric', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const),
});

/** Returns the price at an instant, by local time in London. */
function priceAt(instant: string): string {
  const parts = Object.fromEntries(
    LONDON.formatToParts(new Date(instant)).map(({ type, value }) => [type, Number(value)]),
  );
  const { month = 0, day = 0, hour = 0, minute = 0 } = parts;
  return priceOfHalfHour(month - 1, day, hour * 2 + minute / 30);
}

/** Tests a register in one process, or in separate processes, in which one service sends the prices to another. */
export function yearOfPrices(wiring: 'one process' | 'a process each'): void {
  describe(`A tariff with a year of half-hourly prices (${wiring})`, () => {
    let register: SharedRegister;
    let anonymous: Graph;
    let admin: Graph;
    let database: Client;
    let mpid: string;
    const [tariffId, dynamicId] = [identifier(), identifier()];
    beforeAll(async () => {
      register = await sharedRegister(wiring);
      anonymous = graphOf(register);
      admin = await graphAs(register, 'admin');
      database = new Client({ connectionString: register.databaseUrl });
      await database.connect();
      mpid = newMpid();
      const saved = await admin('mutation Save($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }', {
        input: supplierInput(mpid),
      });
      expect(saved.errors).toEqual([]);
      const input = { ...tariffInput(1), mpid, tariffId, rates: yearOfRates() };
      expect(JSON.stringify(input).length).toBeGreaterThan(1_500_000);
      const { data, errors } = await persistentGraph(admin)(PUBLISH, { input });
      expect(errors).toEqual([]);
      expect(data.publishTariff.tariff).toMatchObject({ tariffId, version: 1 }); // a repetition after SYS002 adds none
      const dynamic = { ...tariffInput(2, { tariffType: 'DYNAMIC' }), mpid, tariffId: dynamicId };
      expect((await persistentGraph(admin)(PUBLISH, { input: dynamic })).errors).toEqual([]);
    });
    afterAll(() => database?.end());

    /** Reads fields of the tariff with a year of prices. */
    const read = async (fields: string, id = tariffId) => {
      const { data, errors } = await anonymous(`query { tariff(tariffId: "${id}") { ${fields} } }`);
      expect(errors).toEqual([]);
      return data.tariff;
    };

    /** Returns the number of sessions that wait to read appended prices. */
    const readersOfAppendedPrices = async () => {
      await database.query('select pg_stat_clear_snapshot()'); // a transaction reads one snapshot of the activity
      const { rows } = await database.query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%from tariff_price where%'
           and query not like '%pg_stat_activity%'`,
      );
      return rows.length;
    };

    /** Runs work while other sessions cannot read appended prices. */
    async function withoutAppendedPrices<Result>(work: () => Promise<Result>): Promise<Result> {
      await database.query('begin; lock table tariffs.tariff_price in access exclusive mode');
      try {
        return await work();
      } finally {
        await database.query('rollback');
      }
    }

    it('is read whole by REST', async () => {
      const { body } = good(await anonymousClient(register.rest)('GET', `/v1/tariff/${mpid}/${tariffId}`));
      const published = yearOfStoredRates().map(({ months, dates, daysAndHours }) => ({
        ...{ months, dates },
        days_and_hours: daysAndHours.map(({ days, hours }) => ({
          days,
          hours: hours.map(({ validFrom, validTo, rate }) => ({
            ...{ valid_from: validFrom, valid_to: validTo },
            rate: rate.map(({ unitPrice }) => ({ unit_price: unitPrice, to_kwh: null })),
          })),
        })),
      }));
      expect(body['data'][0].rates).toEqual(published);
    });

    it('is read by GraphQL as 17,520 half-hours in one request', async () => {
      const { data } = await anonymous(PRICES, {
        id: tariffId,
        from: '2027-01-01T00:00:00Z',
        to: '2028-01-01T00:00:00Z',
      });
      const { prices } = data.tariff as { prices: { from: string; unitPriceIncludingVat: string }[] };
      expect(prices.map(({ from }) => from)).toEqual(
        Array.from({ length: 17_520 }, (_, index) => new Date(Date.UTC(2027, 0, 1, 0, index * 30)).toISOString()),
      );
      const wrong = prices.filter(({ from, unitPriceIncludingVat }) => unitPriceIncludingVat !== priceAt(from));
      expect(wrong).toEqual([]);
    });

    it.each(TRANSPORTS)('is read whole over %s', async (_, subscribe) => {
      const period = { from: '2027-01-01T00:00:00Z', to: '2028-01-01T00:00:00Z' };
      const reading = subscribe(register.gateway, await tokenOf(register, 'admin'), {
        query: PRICES,
        variables: { id: tariffId, ...period },
      });
      const [result] = await reading.first(1);
      await reading.stop();
      expect(result).toMatchObject({ data: (await anonymous(PRICES, { id: tariffId, ...period })).data });
    });

    it('has the values in any selection that graphql-js completes field by field', async () => {
      const march = 'from: "2027-03-01T00:00:00Z", to: "2027-04-01T00:00:00Z"';
      const tiers = '... on HalfHourPrice { __typename tiers { toKwh } tiers { unitPriceExcludingVat } }';
      const of = (directive: string) =>
        `march: prices(${march}) { from ${directive} until: to unitPriceIncludingVat ${tiers} entry { hours __typename schedule daysAndHours } }
         priceIntervals(${march}) { to from }`;
      const written = await read(of(''));
      expect(written).toEqual(await read(of('@include(if: true)')));
      expect(written.march).toHaveLength(31 * 48);
    });

    it('has the fields that each query selects, also after another query was cached', async () => {
      const day = 'from: "2027-06-01T00:00:00Z", to: "2027-06-02T00:00:00Z"';
      const keysOf = async (fields: string) => Object.keys((await read(`prices(${day}) { ${fields} }`)).prices[0]);
      expect(await keysOf('from')).toEqual(['from']);
      expect(await keysOf('from unitPriceIncludingVat')).toEqual(['from', 'unitPriceIncludingVat']);
      expect(await keysOf('start: from')).toEqual(['start']);
    });

    it('has prices that are computed once for requests at the same time and later ones', async () => {
      const prices = 'prices(from: "2028-01-01T00:00:00Z", to: "2029-01-01T00:00:00Z") { from unitPriceIncludingVat }';
      const reading = await withoutAppendedPrices(async () => {
        const one = read(prices, dynamicId);
        await Promise.race([one, until(async () => (await readersOfAppendedPrices()) > 0 || undefined)]);
        const another = read(prices, dynamicId);
        for (let later = 0; later < 5; later += 1) await read('name', dynamicId);
        expect(await readersOfAppendedPrices()).toBe(1);
        return [one, another];
      });
      const [first, second] = await Promise.all(reading);
      expect(first.prices).toHaveLength(366 * 48);
      expect(second).toEqual(first);
      expect(await withoutAppendedPrices(() => read(prices, dynamicId))).toEqual(first);
    });

    it('cannot be read twice in one request', async () => {
      const prices = 'prices(from: "2027-01-01T00:00:00Z", to: "2028-01-01T00:00:00Z") { from }';
      const { errors } = await anonymous(`{ tariff(tariffId: "${tariffId}") { a: ${prices} b: ${prices} } }`);
      expect(errors).toMatchObject([{ extensions: { code: 'VAL003' } }]);
    });

    it('changes with appended prices, also after it was cached', async () => {
      const slot = (Math.floor(Date.now() / 1_800_000) + 48) * 1_800_000;
      const [from, to] = [slot, slot + 1_800_000].map((at) => new Date(at).toISOString());
      const priceNow = async () => (await anonymous(PRICES, { id: dynamicId, from, to })).data.tariff.prices;
      expect(await priceNow()).toEqual([{ from, unitPriceIncludingVat: '0.2450' }]);
      for (const unitPrice of ['0.31', '0.32']) {
        const appended = { mpid, tariffId: dynamicId, prices: [{ from, unitPrice }] };
        expect((await admin(APPEND, { input: appended })).errors).toEqual([]);
        expect(await priceNow()).toEqual([{ from, unitPriceIncludingVat: unitPrice }]);
      }
    });

    it('is read by GraphQL with other tariffs, but not with another one of its size in one request', async () => {
      const other = identifier();
      const input = { ...tariffInput(3), mpid, tariffId: other, rates: yearOfRates() };
      expect((await persistentGraph(admin)(PUBLISH, { input })).errors).toEqual([]);
      const rates = (id: string, alias: string) => `${alias}: tariff(tariffId: "${id}") { rates { dates } }`;
      const both = `{ ${rates(tariffId, 'one')} ${rates(tariffId, 'again')} ${rates(dynamicId, 'small')} }`;
      expect((await anonymous(both)).data.one.rates).toHaveLength(366);
      const period = 'from: "2027-01-01T00:00:00Z", to: "2027-01-02T00:00:00Z"';
      const prices = (id: string, alias: string) =>
        `${alias}: tariff(tariffId: "${id}") { prices(${period}) { from } }`;
      for (const fields of [rates(other, 'other'), prices(other, 'other')]) {
        const { errors } = await anonymous(`{ ${rates(tariffId, 'one')} ${fields} }`);
        expect(errors).toMatchObject([{ extensions: { code: 'VAL003' } }]);
      }
    });

    it('is listed with others of its size in the console', async () => {
      for (const number of [4, 5]) {
        const input = { ...tariffInput(number), mpid, tariffId: identifier(), rates: yearOfRates() };
        expect((await persistentGraph(admin)(PUBLISH, { input })).errors).toEqual([]);
      }
      const page = await new ConsoleVisitor(register.console).get(`/tariffs?mpid=${mpid}`);
      expect(page.status).toBe(200);
      expect(page.html.match(/href="\/tariffs\/trf_/g)?.length).toBeGreaterThanOrEqual(4);
    });

    it('may have a price for each minute, and is shown in the public list and on its page, too', async () => {
      const byMinute = newMpid();
      await admin('mutation Save($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }', {
        input: supplierInput(byMinute),
      });
      const timeOf = (minute: number) => new Date(minute * 60_000).toISOString().slice(11, 19);
      const hours = Array.from({ length: 1_440 }, (_, minute) => ({
        ...{ validFrom: timeOf(minute), validTo: timeOf(minute + 1) },
        rate: [{ unitPrice: minute % 2 === 0 ? '0.20' : '0.30', toKwh: null }],
      }));
      const rates = [{ months: ['ALL'], daysAndHours: [{ days: ['ALL'], hours }] }];
      for (let number = 0; number < 4; number += 1) {
        const input = { ...tariffInput(1), mpid: byMinute, tariffId: identifier(), rates };
        expect((await admin(PUBLISH, { input })).errors).toEqual([]);
      }
      const visitor = new ConsoleVisitor(register.console);
      const page = await visitor.get(`/tariffs?mpid=${byMinute}`);
      expect(page.status).toBe(200);
      const [address, ...others] = [...page.html.matchAll(/href="(\/tariffs\/trf_[0-9a-f]+)"/g)].map(
        ([, href]) => href,
      );
      expect(others).toHaveLength(3);
      expect((await visitor.get(`${address}`)).status).toBe(200);
      for (const [date, minutes] of [
        ['2027-03-28', 1_380],
        ['2027-06-16', 1_440],
        ['2027-10-31', 1_500],
      ] as const) {
        const { status, html } = await visitor.get(`${address}?date=${date}`);
        expect(status).toBe(200);
        expect(html).not.toContain('no price');
        const day = html.slice(html.indexOf('id="day"'));
        expect(day.match(/<th scope="row">\d\d:\d\d–\d\d:\d\d( GMT| BST)?</g)).toHaveLength(minutes);
      }
    });

    it('is read with directives up to 5,000 half-hours', async () => {
      const query = PRICES.replace('unitPriceIncludingVat', 'unitPriceIncludingVat @include(if: true)');
      const of = (to: string) => anonymous(query, { id: tariffId, from: '2027-01-01T00:00:00Z', to });
      expect((await of('2027-04-01T00:00:00Z')).data.tariff.prices).toHaveLength(90 * 48);
      expect((await of('2028-01-01T00:00:00Z')).errors).toMatchObject([{ extensions: { code: 'VAL003' } }]);
    });
  });
}
