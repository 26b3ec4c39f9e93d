import {
  type IntervalPrice,
  halfHourPrices,
  intervalPrices,
  priceRangeViolations,
} from '../../../subgraphs/tariffs/rates/prices';
import type { TariffInput, TariffScheduleEntry } from '../../../subgraphs/tariffs/catalogue/tariff';
import { unitPricesOf } from '../../../subgraphs/tariffs/rates/money';
import { violationLines } from '../../support/access-records';
import { aroundTheClock, entry, flatTariff, group, published, tariffWith, window } from '../../support/tariff-examples';

const at = (instant: string) => new Date(instant);
const series = (tariff: TariffInput, from: string, to: string) => [
  ...halfHourPrices(published(tariff), at(from), at(to)),
];
const intervals = (tariff: TariffInput, from: string, to: string) => [
  ...intervalPrices(published(tariff), at(from), at(to)),
];
/** Returns the UTC time and the price of a slot. */
const lines = (slots: readonly IntervalPrice[]) =>
  slots.map(({ from, to, unitPriceIncludingVat: price }) => {
    const [begin, end] = [from, to].map((each) => each.toISOString().slice(11, 16));
    return `${begin}–${end} ${price}`;
  });
const including = (slots: readonly IntervalPrice[]) => slots.map(({ unitPriceIncludingVat }) => unitPriceIncludingVat);
const times = (count: number, price: string | null) => Array.from({ length: count }, () => price);

/** A night rate from 00:30 to 04:30, as in Economy 7. */
const NIGHT = entry(['All'], group(['All'], window('00:30', '04:30', '0.10'), window('04:30', '00:30', '0.30')));

describe('The half-hourly series', () => {
  it('has a slot for each 30 minutes of UTC, with the entry of its price', () => {
    const slots = series(tariffWith(NIGHT), '2026-01-15T00:00:00Z', '2026-01-15T01:30:00Z');
    const day = { unitPriceExcludingVat: '0.2857143', unitPriceIncludingVat: '0.30' };
    const night = { unitPriceExcludingVat: '0.0952381', unitPriceIncludingVat: '0.10' };
    const slot = (from: string, to: string, price: typeof day, hours: number) => ({
      from: at(`2026-01-15T${from}:00Z`),
      to: at(`2026-01-15T${to}:00Z`),
      ...price,
      tiers: [{ toKwh: null, ...price }],
      entry: { schedule: 0, daysAndHours: 0, hours },
    });
    expect(slots).toEqual([
      slot('00:00', '00:30', day, 1),
      slot('00:30', '01:00', night, 0),
      slot('01:00', '01:30', night, 0),
    ]);
  });

  it.each([
    ['2026-06-15', '2026-06-14T23:00:00Z', '2026-06-15T23:00:00Z', 48],
    ['29 March 2026, when 01:00 to 02:00 does not occur', '2026-03-29T00:00:00Z', '2026-03-29T23:00:00Z', 46],
    ['25 October 2026, when 01:00 to 02:00 occurs twice', '2026-10-24T23:00:00Z', '2026-10-26T00:00:00Z', 50],
  ])('of %s follows local time', (_, from, to, count) => {
    const slots = series(tariffWith(NIGHT), from, to);
    const nights = count - 40; // 8 half-hours of the night on most days
    expect(including(slots)).toEqual([...times(1, '0.30'), ...times(nights, '0.10'), ...times(39, '0.30')]);
  });

  it('distinguishes the two hours of 25 October by UTC, and both have the price of 01:00', () => {
    const hour = entry(['All'], group(['All'], window('01:00', '02:00', '0.01'), window('02:00', '01:00', '0.30')));
    const slots = series(tariffWith(hour), '2026-10-24T23:30:00Z', '2026-10-25T02:30:00Z');
    expect(
      slots.map(({ from, unitPriceIncludingVat: price }) => `${from.toISOString().slice(11, 16)} ${price}`),
    ).toEqual([...['23:30 0.30', '00:00 0.01', '00:30 0.01', '01:00 0.01', '01:30 0.01', '02:00 0.30']]);
    const spring = series(tariffWith(hour), '2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z');
    expect(including(spring)).toEqual(['0.30', '0.30']);
  });

  it('changes month, date and day of the week at local midnight', () => {
    const rates: TariffScheduleEntry[] = [
      { ...entry(['Jul'], group(['All'], aroundTheClock('0.07'))), dates: [1] },
      entry(['Jul'], group(['Fri'], aroundTheClock('0.05')), group(['All'], aroundTheClock('0.06'))),
      entry(['All'], group(['All'], aroundTheClock('0.01'))),
    ];
    const slots = series(tariffWith(...rates), '2026-06-30T22:30:00Z', '2026-07-03T23:30:00Z');
    // 1 July 2026 is a Wednesday.
    expect(including(slots)).toEqual([
      ...[...times(1, '0.01'), ...times(48, '0.07'), ...times(48, '0.06'), ...times(48, '0.05'), ...times(1, '0.06')],
    ]);
  });

  it('has the price of an entry for 29 February on that day only', () => {
    const leap = { ...entry(['Feb'], group(['All'], aroundTheClock('0.29'))), dates: [29] };
    const others = entry(['All'], group(['All'], aroundTheClock('0.30')));
    const tariff = { ...tariffWith(leap, others), validFrom: at('2020-01-01T00:00:00Z') };
    expect(including(series(tariff, '2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z'))).toEqual(times(48, '0.29'));
    expect(including(series(tariff, '2027-02-28T12:00:00Z', '2027-03-01T00:30:00Z'))).toEqual(times(25, '0.30'));
  });

  it('has slots without a price where a dynamic tariff has a gap: of hours, of days, of the year', () => {
    const rates = [entry(['Jan'], group(['Thu'], window('08:00', '08:30', '0.25')))];
    const tariff = { ...tariffWith(...rates), tariffType: 'dynamic' } as const;
    const gap = { unitPriceExcludingVat: null, unitPriceIncludingVat: null, tiers: [], entry: null };
    const thursday = series(tariff, '2026-01-15T07:30:00Z', '2026-01-15T09:00:00Z');
    expect(thursday.map(({ entry: place }) => place)).toEqual([null, { schedule: 0, daysAndHours: 0, hours: 0 }, null]);
    expect(thursday[0]).toEqual({ from: at('2026-01-15T07:30:00Z'), to: at('2026-01-15T08:00:00Z'), ...gap });
    expect(including(series(tariff, '2026-01-16T08:00:00Z', '2026-01-16T08:30:00Z'))).toEqual([null]);
    expect(including(series(tariff, '2026-02-05T08:00:00Z', '2026-02-05T08:30:00Z'))).toEqual([null]);
  });

  it('is clipped to the validity of the tariff', () => {
    const valid = { validFrom: at('2026-01-15T08:10:00Z'), validTo: at('2026-01-15T09:05:00Z') };
    const slots = series({ ...flatTariff(), ...valid }, '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z');
    expect(
      slots.map(({ from, to }) => `${from.toISOString().slice(11, 16)}–${to.toISOString().slice(11, 16)}`),
    ).toEqual([...['08:10–08:30', '08:30–09:00', '09:00–09:05']]);
    expect(series({ ...flatTariff(), ...valid }, '2026-01-15T09:30:00Z', '2026-01-16T00:00:00Z')).toEqual([]);
    expect(series({ ...flatTariff(), ...valid }, '2025-01-15T09:30:00Z', '2025-01-16T00:00:00Z')).toEqual([]);
  });

  it('has all tiers of a slot; the price of the slot is that of the first kWh', () => {
    const rate = [
      { unitPrice: '0.10', toKwh: '2.5' },
      { unitPrice: '0.21', toKwh: null },
    ];
    const tiered = tariffWith(entry(['All'], group(['All'], { ...aroundTheClock('0.10'), rate })));
    const [slot] = series(
      { ...tiered, vatIncluded: false, vatRate: 20 },
      '2026-01-15T00:00:00Z',
      '2026-01-15T00:30:00Z',
    );
    expect(slot).toMatchObject({
      unitPriceExcludingVat: '0.10',
      unitPriceIncludingVat: '0.12',
      tiers: [
        { toKwh: '2.5', unitPriceExcludingVat: '0.10', unitPriceIncludingVat: '0.12' },
        { toKwh: null, unitPriceExcludingVat: '0.21', unitPriceIncludingVat: '0.252' },
      ],
    });
  });

  it('of a month costs hardly more for a tree of many prices than for one of a single price', () => {
    const windows = Array.from({ length: 48 }, (_, half) => {
      const time = (each: number) =>
        `${String(Math.floor((each % 48) / 2)).padStart(2, '0')}:${each % 2 === 0 ? '00' : '30'}`;
      return window(time(half), time(half + 1), `0.${String(10_000 + half)}`);
    });
    const days = (['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const).map((day) => group([day], ...windows));
    const many = published(tariffWith(entry(['Mar'], ...days), entry(['All'], ...days)));
    const single = published(tariffWith(entry(['All'], group(['All'], aroundTheClock('0.10')))));
    const costs = { many: [] as number[], single: [] as number[] };
    for (let round = 0; round < 60; round += 1) {
      costs.many.push(costOfMarch(many));
      costs.single.push(costOfMarch(single));
    }
    expect(median(costs.many) / median(costs.single)).toBeLessThan(MOST_TIMES);
  });
});

/** Economy 7 with a night rate from 00:20 to 07:20. */
const ECONOMY_7 = entry(['All'], group(['All'], window('00:20', '07:20', '0.10'), window('07:20', '00:20', '0.30')));

describe('Windows at whole minutes', () => {
  it('have exact intervals, and half-hours that are split where the price changes', () => {
    expect(lines(intervals(tariffWith(ECONOMY_7), '2026-01-15T00:00:00Z', '2026-01-16T00:00:00Z'))).toEqual([
      ...['00:00–00:20 0.30', '00:20–07:20 0.10', '07:20–00:00 0.30'],
    ]);
    expect(lines(series(tariffWith(ECONOMY_7), '2026-01-15T00:00:00Z', '2026-01-15T01:00:00Z'))).toEqual([
      ...['00:00–00:20 0.30', '00:20–00:30 0.10', '00:30–01:00 0.10'],
    ]);
  });

  it('follow the clock on the days on which it changes: 6 and 8 hours of night', () => {
    expect(lines(intervals(tariffWith(ECONOMY_7), '2026-03-29T00:00:00Z', '2026-03-29T23:00:00Z'))).toEqual([
      ...['00:00–00:20 0.30', '00:20–06:20 0.10', '06:20–23:00 0.30'],
    ]);
    expect(lines(intervals(tariffWith(ECONOMY_7), '2026-10-24T23:00:00Z', '2026-10-26T00:00:00Z'))).toEqual([
      ...['23:00–23:20 0.30', '23:20–07:20 0.10', '07:20–00:00 0.30'],
    ]);
  });

  it('occur twice, or not at all, in the hour of the change', () => {
    const hour = entry(['All'], group(['All'], window('01:20', '01:40', '0.01'), window('01:40', '01:20', '0.30')));
    expect(lines(intervals(tariffWith(hour), '2026-10-25T00:00:00Z', '2026-10-25T02:00:00Z'))).toEqual([
      ...['00:00–00:20 0.30', '00:20–00:40 0.01', '00:40–01:20 0.30', '01:20–01:40 0.01', '01:40–02:00 0.30'],
    ]);
    expect(lines(intervals(tariffWith(hour), '2026-03-29T00:00:00Z', '2026-03-29T02:00:00Z'))).toEqual([
      '00:00–02:00 0.30',
    ]);
  });

  it('that never change are one interval, over days and over changes of the clock', () => {
    expect(lines(intervals(flatTariff(), '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'))).toEqual([
      '00:00–00:00 0.2450',
    ]);
  });
});

describe('Windows that run on past midnight', () => {
  /** A tariff that is cheap from Friday 23:30 to Saturday 05:30. */
  const friday = entry(
    ['All'],
    group(['Fri'], window('00:00', '23:30', '0.30'), window('23:30', '05:30', '0.10')),
    group(['Sat'], window('05:30', '00:00', '0.30')),
    group(['All'], window('00:00', '00:00', '0.30')),
  );

  it('belong to the day on which they start', () => {
    // 16 January 2026 is a Friday.
    const slots = intervals(tariffWith(friday), '2026-01-16T00:00:00Z', '2026-01-18T00:00:00Z');
    expect(lines(slots)).toEqual(['00:00–23:30 0.30', '23:30–05:30 0.10', '05:30–00:00 0.30']);
    expect(slots[1]?.to).toEqual(at('2026-01-17T05:30:00Z'));
    expect(slots.map((slot) => slot.entry?.daysAndHours)).toEqual([0, 0, 1]);
  });

  it('go on into another month, and after the start of the validity of the tariff', () => {
    const winter = [
      entry(['Jan'], group(['All'], window('06:00', '22:00', '0.30'), window('22:00', '06:00', '0.10'))),
      entry(['All'], group(['All'], window('06:00', '22:00', '0.20'), window('22:00', '06:00', '0.05'))),
    ];
    const tariff = tariffWith(...winter);
    tariff.validFrom = at('2026-02-01T00:00:00Z');
    expect(lines(intervals(tariff, '2026-01-01T00:00:00Z', '2026-02-01T22:00:00Z'))).toEqual([
      ...['00:00–06:00 0.10', '06:00–22:00 0.20'],
    ]);
  });
});

describe('VAT', () => {
  it.each([
    // excluding × (1 + vat/100), exact
    [false, 5, '0.12345', '0.12345', '0.1296225'],
    [false, 20, '0.20', '0.20', '0.24'],
    [false, 0, '0.10', '0.10', '0.10'],
    [false, 100, '0.5000', '0.5000', '1.00'],
    [false, 17, '0.00', '0.00', '0.00'],
    [false, 7, '99999999999999.99999', '99999999999999.99999', '106999999999999.9999893'],
    // including ÷ (1 + vat/100), to seven places
    [true, 5, '0.245', '0.2333333', '0.245'],
    [true, 20, '0.30', '0.25', '0.30'],
    [true, 0, '0.1200', '0.12', '0.1200'],
    [true, 100, '0.00001', '0.000005', '0.00001'],
    [true, null, '0.30', null, '0.30'],
  ])(
    '(included in the price: %s) at %s %% divides the price %s into %s without and %s with VAT',
    (vatIncluded, vatRate, price, excludingVat, includingVat) => {
      expect(unitPricesOf(price, { vatIncluded, vatRate })).toEqual({ excludingVat, includingVat });
    },
  );

  it('is rounded half to even', () => {
    // 0.00001 ÷ 1.6 = 0.00000625; 0.00003 ÷ 1.6 = 0.00001875; 0.00002 ÷ 1.28 = 0.000015625
    expect(unitPricesOf('0.00001', { vatIncluded: true, vatRate: 60 }).excludingVat).toBe('0.0000062');
    expect(unitPricesOf('0.00003', { vatIncluded: true, vatRate: 60 }).excludingVat).toBe('0.0000188');
    expect(unitPricesOf('0.00002', { vatIncluded: true, vatRate: 28 }).excludingVat).toBe('0.0000156');
  });

  it('is not computed without a rate', () => {
    expect(() => unitPricesOf('0.10', { vatIncluded: false, vatRate: null })).toThrow('has a rate of VAT');
  });
});

describe('The requested range of prices', () => {
  const range = (from: string, to: string, unit: 'half-hour' | 'minute' = 'half-hour') =>
    violationLines(priceRangeViolations(at(from), at(to), unit));

  it('starts and ends on whole half-hours, is not empty and lasts at most 366 days', () => {
    expect(range('2026-01-01T00:30:00Z', '2027-01-02T00:30:00Z')).toEqual([]);
    expect(range('2026-01-01T00:30:00Z', '2026-01-01T01:00:00Z')).toEqual([]);
    expect(range('2026-01-01T00:00:00Z', '2027-01-02T00:30:00Z')).toEqual([
      'VAL003 to: must be at most 366 days after from',
    ]);
    expect(range('2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')).toEqual(['VAL003 to: must be after from']);
    expect(range('2026-01-01T00:15:00Z', '2026-01-01T00:00:00.001Z')).toEqual([
      'VAL003 from: must be on a whole half-hour',
      'VAL003 to: must be on a whole half-hour',
      'VAL003 to: must be after from',
    ]);
    expect(range('1969-12-31T23:30:00Z', '1970-01-01T00:00:00Z')).toEqual([]);
    expect(range('2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z', 'minute')).toEqual([]);
    expect(range('2026-01-01T00:01:00Z', '2026-01-01T00:02:01Z', 'minute')).toEqual([
      'VAL003 to: must be on a whole minute',
    ]);
  });
});

/** Maximum cost relative to a tariff with a single price; `npm run bench tariffs` measures the milliseconds. */
const MOST_TIMES = 4;

/** Returns the microseconds of processor time for the prices of a month. */
function costOfMarch(tariff: Parameters<typeof halfHourPrices>[0]): number {
  const started = process.cpuUsage();
  expect([...halfHourPrices(tariff, at('2026-03-01T00:00:00Z'), at('2026-04-01T00:00:00Z'))]).toHaveLength(1_488);
  const { user, system } = process.cpuUsage(started);
  return user + system;
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((one, other) => one - other)[numbers.length >> 1] as number;
