import { dayCurve } from '../../../web/console/tariffs/day-curve';
import { type Day, daysAfter, halfHoursOf, instantOf, weekOf } from '../../../web/console/tariffs/local-time';
import { amountOf, amountsOf } from '../../../web/console/tariffs/money';
import { dayRows, weekTable } from '../../../web/console/tariffs/price-tables';
import { type PriceScale, priceScale } from '../../../web/console/tariffs/price-scale';
import { dayInWords, isValidBetween, pricedDay, pricesOf, runsOf } from '../../../web/console/tariffs/priced-day';
import type { HalfHourPrice } from '../../../web/console/tariffs/operation-results';
import { weekPicture } from '../../../web/console/tariffs/week-picture';

const SUMMER = '2026-07-15';
const FORWARD = '2026-03-29';
const BACK = '2026-10-25';

const PLACE = { schedule: 0, daysAndHours: 0, hours: 0 };

type PriceTier = HalfHourPrice['tiers'][number];

const HALF_HOUR_MS = 1_800_000;
/** Returns the end of the half-hour of an instant. */
const endOfHalfHour = (instant: number) => (Math.floor(instant / HALF_HOUR_MS) + 1) * HALF_HOUR_MS;

/** Returns the price fields of a slot with these tiers; without tiers it has no price. */
function slot(starts: number, tiers: readonly PriceTier[], ends = endOfHalfHour(starts)): HalfHourPrice {
  const [first] = tiers;
  return {
    from: instantOf(starts),
    to: instantOf(ends),
    unitPriceIncludingVat: first?.unitPriceIncludingVat ?? null,
    unitPriceExcludingVat: first?.unitPriceExcludingVat ?? null,
    tiers,
    entry: first === undefined ? null : PLACE,
  };
}

const priced = (including: string, excluding: string | null = null): PriceTier[] => [
  { toKwh: null, unitPriceIncludingVat: including, unitPriceExcludingVat: excluding },
];

/** Returns the slots of a day, by the wall time of each half-hour. */
const slotsOf = (day: Day, tiersAt: (time: string, zone: string) => readonly PriceTier[]) =>
  halfHoursOf(day).map(({ starts, time, zone }) => slot(starts, tiersAt(time, zone)));

/** Low until seven, high until midnight. */
const nightAndDay = (day: Day) => slotsOf(day, (time) => priced(time < '07:00' ? '0.10' : '0.30'));

const scaleOf = (slots: readonly HalfHourPrice[]): PriceScale => priceScale(amountsOf(slots.flatMap(pricesOf)));
const pictureOf = (day: Day, slots: readonly HalfHourPrice[]) => {
  const [row] = weekPicture([day], slots, scaleOf(slots));
  if (row === undefined) throw new Error('no row');
  return row;
};
const curveOf = (day: Day, slots: readonly HalfHourPrice[]) => {
  const curve = dayCurve(pricedDay(day, slots), scaleOf(slots));
  if (curve === undefined) throw new Error('no curve');
  return curve;
};

describe('the colours of prices', () => {
  it.each([
    ['0.20', '3'],
    ['0.10 0.30', '15'],
    ['0.10 0.20 0.30', '147'],
    ['0.1 0.2 0.3 0.4', '0358'],
    ['0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9', '012345678'],
  ])('are distinct for each of a few prices: %s', (text, digits) => {
    const [prices, levels] = [text.split(' '), [...digits].map(Number)];
    const scale = priceScale(amountsOf(prices));
    expect(scale.classes.map(({ level }) => level)).toEqual(levels);
    expect(prices.map((price) => scale.levelOf(amountOf(price)))).toEqual(levels);
  });

  it('are labelled with exact prices', () => {
    expect(priceScale(amountsOf(['0.301875', '0.09975'])).classes.map(({ label }) => label)).toEqual([
      '9.975',
      '30.1875',
    ]);
  });

  it('of many prices are contiguous classes of one round width, and a higher price is never paler', () => {
    const prices = Array.from({ length: 40 }, (_, index) => `0.${String(1037 + index * 73)}`);
    const scale = priceScale(amountsOf(prices));
    expect(scale.classes.map(({ label }) => label)).toEqual([
      '10 to under 15',
      '15 to under 20',
      '20 to under 25',
      '25 to under 30',
      '30 to under 35',
      '35 to under 40',
    ]);
    const levels = prices.map((price) => scale.levelOf(amountOf(price)));
    expect(levels).toEqual(levels.toSorted());
    expect(scale.levelOf(amountOf('0.14999'))).toBeLessThan(scale.levelOf(amountOf('0.15')));
  });

  it('are labelled with classes narrower than a penny', () => {
    const prices = Array.from({ length: 12 }, (_, index) => `0.10${String(index).padStart(2, '0')}`);
    expect(priceScale(amountsOf(prices)).classes[0]?.label).toBe('10.00 to under 10.02');
  });

  it('are empty without prices', () => {
    expect(priceScale([]).classes).toEqual([]);
  });
});

describe('a day of the heat map', () => {
  it('has a cell for each half-hour, at its wall time, with its price', () => {
    const { cells, clocks } = pictureOf(SUMMER, nightAndDay(SUMMER));
    expect(cells).toHaveLength(48);
    expect(cells[14]).toMatchObject({ x: 29.167, y: 0, level: 5, description: '07:00 to 07:30: 30.00 p/kWh' });
    expect(cells[47]?.description).toBe('23:30 to 24:00: 30.00 p/kWh');
    expect(clocks).toBeUndefined();
  });

  it('marks the skipped hour when the clocks go forward', () => {
    const { cells, clocks } = pictureOf(FORWARD, nightAndDay(FORWARD));
    expect(clocks).toBe('clocks go forward, 46 half-hours');
    expect(cells.filter(({ state }) => state === 'priced')).toHaveLength(46);
    expect(cells.filter(({ state }) => state === 'skipped').map(({ x }) => x)).toEqual([4.167, 6.25]);
  });

  it('divides the repeated hour when the clocks go back: the first above the second', () => {
    const slots = slotsOf(BACK, (time, zone) => priced(zone === 'BST' && time >= '01:00' ? '0.10' : '0.30'));
    const { cells, clocks } = pictureOf(BACK, slots);
    expect(clocks).toBe('clocks go back, 50 half-hours');
    const atOne = cells.filter(({ x }) => x === 4.167);
    expect(atOne.map(({ y, level, description }) => [y, level, description])).toEqual([
      [0, 1, '01:00 to 01:30 BST: 10.00 p/kWh'],
      [16.5, 5, '01:00 to 01:30 GMT: 30.00 p/kWh'],
    ]);
    expect(atOne.every(({ height }) => height === 15.5)).toBe(true);
  });

  it('shows half-hours without a price, and those in which the tariff is not valid', () => {
    const slots = slotsOf(SUMMER, (time) => (time < '12:00' ? priced('0.10') : [])).slice(4);
    const { cells, description } = pictureOf(SUMMER, slots);
    expect([cells[0]?.state, cells[4]?.state, cells[24]?.state]).toEqual(['invalid', 'priced', 'unpriced']);
    expect(cells[0]?.description).toBe('00:00 to 00:30: the tariff is not valid');
    expect(description).toBe(
      'Wednesday 15 July 2026: 00:00 to 02:00 no price, 02:00 to 12:00 10.00 p/kWh, 12:00 to 24:00 no price',
    );
  });

  it('writes the price of consecutive half-hours once, and only if it fits', () => {
    const slots = slotsOf(SUMMER, (time) => {
      if (time < '07:00') return priced('0.10');
      return priced(time < '08:00' ? '0.20' : '0.30');
    });
    expect(pictureOf(SUMMER, slots).labels).toEqual([
      { x: 14.583, text: '10.00', level: 1, isShort: true },
      { x: 66.667, text: '30.00', level: 7, isShort: true },
    ]);
  });

  it('has no price in the minutes of a half-hour in which the tariff is not valid', () => {
    const starts = (time: string) => Date.parse(`${SUMMER}T${time}Z`); // summer time is an hour later
    const slots = [
      slot(starts('08:10'), priced('0.10')),
      slot(starts('08:30'), priced('0.10')),
      slot(starts('09:00'), priced('0.10'), starts('09:05')),
    ];
    const parts = pricedDay(SUMMER, slots).filter(({ time }) => time >= '09:00' && time < '10:30');
    expect(parts.map(({ time, until, price }) => [time, until, price])).toEqual([
      ['09:00', '09:10', undefined],
      ['09:10', '09:30', amountOf('0.10')],
      ['09:30', '10:00', amountOf('0.10')],
      ['10:00', '10:05', amountOf('0.10')],
      ['10:05', '10:30', undefined],
    ]);
    expect(pricedDay(SUMMER, slots).reduce((sum, { span }) => sum + span, 0)).toBeCloseTo(48);
  });

  it('has no part without a minute: a tariff may start a second after midnight and end a second before', () => {
    const [midnight, second] = [Date.parse(`${SUMMER}T00:00:00+01:00`), 1_000];
    const slots = slotsOf(SUMMER, () => priced('0.10'));
    slots[0] = slot(midnight + second, priced('0.10'));
    slots[47] = slot(midnight + 47 * HALF_HOUR_MS, priced('0.20'), midnight + 48 * HALF_HOUR_MS - second);
    const day = pricedDay(SUMMER, slots);
    const rows = dayRows(day).map(({ when, missing }) => [when, missing]);
    expect(rows).toHaveLength(48);
    expect([rows[0], rows[47]]).toEqual([
      ['00:00–00:30', undefined],
      ['23:30–24:00', undefined],
    ]);
    const { rows: table } = weekTable([SUMMER], slots);
    expect([table[0]?.cells, table[47]?.cells]).toEqual([['10.00'], ['20.00']]);
    expect(dayInWords(day)).toBe('00:00 to 23:30 10.00 p/kWh, 23:30 to 24:00 20.00 p/kWh');
    expect(day.reduce((sum, { span }) => sum + span, 0)).toBeCloseTo(48);
  });
});

describe('the curve of a day', () => {
  it.each([
    [SUMMER, 48],
    [FORWARD, 46],
    [BACK, 50],
  ])('of %s has %d half-hours of one width', (day, count) => {
    const { bars } = curveOf(day, nightAndDay(day));
    expect(bars).toHaveLength(count);
    expect(bars.at(-1)?.x).toBeCloseTo(100 - 100 / count, 2);
    expect(new Set(bars.map(({ width }) => width.toFixed(2))).size).toBe(1);
  });

  it('is a step line: horizontal during a half-hour, vertical between two', () => {
    const [line] = curveOf(SUMMER, nightAndDay(SUMMER)).lines;
    expect(line).toEqual({ kind: 'including', label: 'including VAT', path: 'M0 66.667H29.167V0H100' });
  });

  it('starts at a price of 0, with a few lines of round prices', () => {
    expect(curveOf(SUMMER, nightAndDay(SUMMER)).prices).toEqual([
      { at: 100, label: '0' },
      { at: 66.667, label: '10' },
      { at: 33.333, label: '20' },
      { at: 0, label: '30' },
    ]);
  });

  it('shows prices with and without VAT, also in the description', () => {
    const slots = slotsOf(SUMMER, () => priced('0.105', '0.1'));
    const { lines, bars } = curveOf(SUMMER, slots);
    expect(lines.map(({ kind }) => kind)).toEqual(['excluding', 'including']);
    expect(bars[0]?.description).toBe('00:00 to 00:30: 10.50 p/kWh including VAT, 10.00 excluding');
  });

  it('is interrupted at half-hours without a price', () => {
    const slots = slotsOf(SUMMER, (time) => (time >= '06:00' && time < '12:00' ? [] : priced('0.10')));
    expect(curveOf(SUMMER, slots).lines[0]?.path).toBe('M0 0H25M50 0H100');
    expect(
      dayCurve(
        pricedDay(
          SUMMER,
          slotsOf(SUMMER, () => []),
        ),
        priceScale([]),
      ),
    ).toBeUndefined();
    expect(dayCurve(pricedDay(SUMMER, []), priceScale([]))).toBeUndefined();
  });

  it('has a line for each of the first three tiers', () => {
    const tiers = ['0.10', '0.20', '0.30', '0.40'].map((price, index) => ({
      toKwh: index === 3 ? null : String((index + 1) * 10),
      unitPriceIncludingVat: price,
      unitPriceExcludingVat: null,
    }));
    const { lines, bars } = curveOf(
      SUMMER,
      slotsOf(SUMMER, () => tiers),
    );
    expect(lines.map(({ kind, label }) => [kind, label])).toEqual([
      ['third-tier', 'up to 30 kWh including VAT'],
      ['second-tier', 'up to 20 kWh including VAT'],
      ['including', 'up to 10 kWh including VAT'],
    ]);
    expect(bars[0]?.description).toContain('above 30 kWh 40.00 p/kWh including VAT');
  });

  it('shows only the number of a tier if its limits differ during the day', () => {
    const tiers = (limit: string): PriceTier[] => [
      { toKwh: limit, unitPriceIncludingVat: '0.10', unitPriceExcludingVat: null },
      { toKwh: null, unitPriceIncludingVat: '0.20', unitPriceExcludingVat: null },
    ];
    const labels = (slots: readonly HalfHourPrice[]) => curveOf(SUMMER, slots).lines.map(({ label }) => label);
    expect(labels(slotsOf(SUMMER, (time) => tiers(time < '07:00' ? '2' : '8')))).toEqual([
      'second tier including VAT',
      'first tier including VAT',
    ]);
    expect(labels(slotsOf(SUMMER, (time) => (time < '07:00' ? priced('0.10') : tiers('8'))))).toEqual([
      'above 8 kWh including VAT',
      'up to 8 kWh including VAT',
    ]);
  });

  it('shows where the clocks change, and hours in wall time', () => {
    const { change, times } = curveOf(BACK, nightAndDay(BACK));
    expect(change).toEqual({ at: 8, label: 'clocks go back' });
    expect(times.map(({ label }) => label)).toEqual(['00', '03', '06', '09', '12', '15', '18', '21', '24']);
    expect(times[1]?.at).toBe(16);
    expect(curveOf(FORWARD, nightAndDay(FORWARD)).change).toEqual({ at: 4.348, label: 'clocks go forward' });
    expect(curveOf(SUMMER, nightAndDay(SUMMER)).change).toBeUndefined();
  });

  it('has a scale of one penny if everything is free', () => {
    const { lines, prices } = curveOf(
      SUMMER,
      slotsOf(SUMMER, () => priced('0.00')),
    );
    expect(lines[0]?.path).toBe('M0 100H100');
    expect(prices.map(({ label }) => label)).toEqual(['0', '0.5', '1']);
  });
});

describe('the tables beside the pictures', () => {
  it('have a row for each half-hour of the day: prices, and their rate', () => {
    const rows = dayRows(
      pricedDay(
        BACK,
        slotsOf(BACK, () => priced('0.105', '0.1')),
      ),
    );
    expect(rows).toHaveLength(50);
    expect(rows.slice(2, 6).map(({ when }) => when)).toEqual([
      '01:00–01:30 BST',
      '01:30–02:00 BST',
      '01:00–01:30 GMT',
      '01:30–02:00 GMT',
    ]);
    expect(rows[0]).toMatchObject({
      prices: [{ limit: '', including: '10.50', excluding: '10.00' }],
      missing: undefined,
      rate: { address: '#rate-0-0-0', name: '1.1.1' },
    });
  });

  it('state why there is no price', () => {
    const slots = slotsOf(SUMMER, () => []).slice(1);
    expect(dayRows(pricedDay(SUMMER, slots)).map(({ missing }) => missing)).toEqual([
      'not valid',
      ...Array.from({ length: 47 }, () => 'no price'),
    ]);
  });

  it('of a week have 48 half-hours, also when the clocks change', () => {
    const week = weekOf(BACK);
    const slots = week.flatMap((day) =>
      slotsOf(day, (time, zone) => priced(zone === 'BST' && time >= '01:00' ? '0.10' : '0.30')),
    );
    const { days, rows } = weekTable(week, slots);
    expect([days[0], days[6], rows.length]).toEqual(['Mon 19 Oct', 'Sun 25 Oct', 48]);
    expect(rows[2]?.cells[6]).toBe('10.00 BST, 30.00 GMT');
    expect(weekTable([FORWARD], nightAndDay(FORWARD)).rows[2]?.cells).toEqual(['no such time']);
  });
});

describe('a day in words', () => {
  it('combines consecutive equal prices, and shows many prices as a range', () => {
    expect(dayInWords(pricedDay(SUMMER, nightAndDay(SUMMER)))).toBe(
      '00:00 to 07:00 10.00 p/kWh, 07:00 to 24:00 30.00 p/kWh',
    );
    const slots = halfHoursOf(SUMMER).map(({ starts, column }) => slot(starts, priced(`0.${10 + column}`)));
    expect(dayInWords(pricedDay(SUMMER, slots))).toBe('48 changes of price between 10.00 and 57.00 p/kWh');
    expect(dayInWords(pricedDay(SUMMER, []))).toBe('no price');
  });

  it('has runs that add up to the day', () => {
    const runs = runsOf(pricedDay(BACK, nightAndDay(BACK)));
    expect(runs.map(({ length }) => length)).toEqual([16, 34]);
  });
});

describe('a half-hour in which the price changes', () => {
  /** Economy 7: dear until 00:20 and from 07:20. */
  const slots = halfHoursOf(SUMMER).flatMap(({ starts, time }) => {
    const change = time === '00:00' || time === '07:00' ? starts + 20 * 60_000 : undefined;
    const first = slot(starts, priced(time === '00:00' || time > '07:00' ? '0.30' : '0.10'), change);
    return change === undefined ? [first] : [first, slot(change, priced(time === '00:00' ? '0.10' : '0.30'))];
  });

  it('is shown in its parts, in words, tables and pictures', () => {
    const day = pricedDay(SUMMER, slots);
    expect(dayInWords(day)).toBe('00:00 to 00:20 30.00 p/kWh, 00:20 to 07:20 10.00 p/kWh, 07:20 to 24:00 30.00 p/kWh');
    expect(runsOf(day).map(({ length }) => length)).toEqual(
      [2 / 3, 14, 33 + 1 / 3].map((each) => expect.closeTo(each)),
    );
    expect(
      dayRows(day)
        .slice(0, 3)
        .map(({ when }) => when),
    ).toEqual(['00:00–00:20', '00:20–00:30', '00:30–01:00']);
    expect(weekTable([SUMMER], slots).rows[0]?.cells).toEqual(['30.00 until 00:20, 10.00 until 00:30']);
    const [first, second, third] = pictureOf(SUMMER, slots).cells;
    expect([first, second, third].map((cell) => cell?.x)).toEqual([0, 1.389, 2.083]);
    expect(
      curveOf(SUMMER, slots)
        .bars.map(({ width }) => width)
        .slice(0, 3),
    ).toEqual([1.389, 0.694, 2.084]);
    expect(curveOf(SUMMER, slots).lines[0]?.path).toMatch(/^M0 \S+H1\.389V\S+H30\.556V\S+H100$/);
  });
});

describe('the validity of a tariff', () => {
  const validity = { validFrom: '2026-03-31T23:00:00Z', validTo: '2026-10-01T11:00:00Z' };

  it.each([
    ['does not include', '2026-03-25', '2026-03-31', false],
    ['includes', '2026-03-26', '2026-04-01', true],
    ['includes', '2026-10-01', '2026-10-01', true],
    ['does not include', '2026-10-02', '2026-10-08', false],
  ])('%s a day from %s to %s', (_, first, last, isValid) => {
    expect(isValidBetween(validity, first, last)).toBe(isValid);
    expect(isValidBetween({ ...validity, validTo: null }, daysAfter(last, 3000), daysAfter(last, 3006))).toBe(true);
  });
});
