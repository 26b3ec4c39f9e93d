import { randomBytes } from 'node:crypto';
import { type Graph, graphAs, graphOf } from '../../support/graph';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { anonymousClient, good } from '../../support/rest-client';
import { PUBLISH, supplierInput, tariffInput } from '../../support/tariff-graph';
import { priceOfHalfHour, yearOfRates, yearOfStoredRates } from '../../support/year-of-rates';

const PRICES = `query Year($id: String!, $from: DateTime!, $to: DateTime!) {
  tariff(tariffId: $id) { prices(from: $from, to: $to) { from unitPriceIncludingVat } } }`;

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

/** In separate processes, one service sends the prices to another. */
describe.each(['one process', 'a process each'] as const)(
  'A tariff with a year of half-hourly prices (%s)',
  (wiring) => {
    let register: SharedRegister;
    let anonymous: Graph;
    let mpid: string;
    const tariffId = `trf_${randomBytes(16).toString('hex')}`;
    beforeAll(async () => {
      register = await sharedRegister(wiring);
      anonymous = graphOf(register);
      const admin = await graphAs(register, 'admin');
      mpid = randomBytes(2).toString('hex').toUpperCase();
      const saved = await admin('mutation Save($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }', {
        input: supplierInput(mpid),
      });
      expect(saved.errors).toEqual([]);
      const input = { ...tariffInput(1), mpid, tariffId, rates: yearOfRates() };
      expect(JSON.stringify(input).length).toBeGreaterThan(1_500_000);
      const { data, errors } = await admin(PUBLISH, { input });
      expect(errors).toEqual([]);
      expect(data.publishTariff.isNew).toBe(true);
    });

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

    it('is read with directives up to 5,000 half-hours', async () => {
      const query = PRICES.replace('unitPriceIncludingVat', 'unitPriceIncludingVat @include(if: true)');
      const of = (to: string) => anonymous(query, { id: tariffId, from: '2027-01-01T00:00:00Z', to });
      expect((await of('2027-04-01T00:00:00Z')).data.tariff.prices).toHaveLength(90 * 48);
      expect((await of('2028-01-01T00:00:00Z')).errors).toMatchObject([{ extensions: { code: 'VAL003' } }]);
    });
  },
);
