import { problemOf } from '../../../web/console/request/problems';
import {
  clockChanges,
  dayOf,
  dayOfText,
  daysAfter,
  halfHoursOf,
  instantOf,
  startOf,
  weekOf,
  writtenInstant,
} from '../../../web/console/tariffs/local-time';
import { amountOf, amountsOf, smallestRoundStep, pence, penceOf } from '../../../web/console/tariffs/money';
import { rateGroups } from '../../../web/console/tariffs/rate-rows';
import type { Tariff } from '../../../web/console/tariffs/operation-results';
import { tariffOfAddress, tariffPage, weekPage } from '../../../web/console/tariffs/tariff-address';
import { replacementChain, tariffDetails } from '../../../web/console/tariffs/tariff-details';
import { tariffFilterOf } from '../../../web/console/tariffs/tariff-filter';
import { readWeek, shownDay } from '../../../web/console/tariffs/tariff-reading';
import { OperationError } from '../../../web/shared/operation-error';

const ID = `trf_${'0'.repeat(31)}1`;

const TARIFF: Tariff = {
  ...{ tariffId: ID, name: 'Steady', validFrom: '2025-12-31T23:00:00.000Z', validTo: null, description: null },
  ...{ tariffType: 'STATIC', fuelType: 'ELECTRICITY', energyFlow: 'IMPORT', paymentMethod: 'NON_DIRECT_DEBIT' },
  ...{ meterType: 'MULTI_RATE', customerType: 'BUSINESS', ldzRegion: 'NWT', version: 2, percentageGreen: 72.5 },
  ...{ standingCharge: '0.48105', vatIncluded: false, vatRate: 20, comments: null, tierPeriod: 'MONTH' },
  ...{ standingChargeIncludingVat: '0.57726', standingChargeExcludingVat: '0.48105' },
  ...{
    sellableFrom: null,
    sellableTo: '2026-06-30T22:30:00.000Z',
    supplierStatus: null,
    lastModified: '2026-05-01T09:12:33.000Z',
  },
  ...{ rates: [], versions: { nodes: [], nextCursor: null }, replaces: null, replacedBy: null },
  supplier: { mpid: 'FNLD', displayName: 'Fenland', support: 'help@fenland.example' },
};

describe('money', () => {
  it.each([
    ['0.245', '24.50'],
    ['0.2450', '24.50'],
    ['0.00', '0.00'],
    ['0.00001', '0.001'],
    ['12.3456789', '1234.56789'],
    ['0.301875', '30.1875'],
    ['10', '1000.00'],
    ['-0.0125', '−1.25'],
    ['9007199254740993.01', '900719925474099301.00'],
  ])('of %s pounds is %s pence, exactly', (pounds, text) => {
    expect(penceOf(pounds)).toBe(text);
  });

  it('is written without trailing zeros on request', () => {
    expect([pence(amountOf('0.20'), 0), pence(amountOf('0.205'), 0)]).toEqual(['20', '20.5']);
  });

  it('is not parsed from malformed text', () => {
    for (const text of ['', '1e3', '.5', '1.', '0x10', '0.1234567890123']) expect(() => amountOf(text)).toThrow(text);
  });

  it('is sorted by value, independent of its notation', () => {
    expect(amountsOf(['0.10', '0.9', '0.100', '0.09', '10.00'])).toEqual(['0.09', '0.1', '0.9', '10'].map(amountOf));
  });

  it('has round steps of 1, 2 and 5', () => {
    const step = (least: string) => pence(smallestRoundStep((each) => each >= amountOf(least)));
    expect(['0.01', '0.0101', '0.021', '0.06', '1.9'].map(step)).toEqual(['1.00', '2.00', '5.00', '10.00', '200.00']);
  });
});

describe('local time', () => {
  it.each([
    ['2026-07-15', 48, '2026-07-14T23:00:00.000Z'],
    ['2026-03-29', 46, '2026-03-29T00:00:00.000Z'],
    ['2026-10-25', 50, '2026-10-24T23:00:00.000Z'],
    ['2026-12-31', 48, '2026-12-31T00:00:00.000Z'],
  ])('divides %s into %d half-hours, the first of which starts at %s', (day, count, from) => {
    const halfHours = halfHoursOf(day);
    expect([halfHours.length, instantOf(startOf(day))]).toEqual([count, from]);
    expect(halfHours.map(({ starts }) => starts)).toEqual(
      Array.from({ length: count }, (_, index) => Date.parse(from) + index * 1_800_000),
    );
    expect(halfHours.at(-1)).toMatchObject({ time: '23:30', until: '24:00', column: 47 });
  });

  it('repeats an hour when the clocks go back, and skips one when they go forward', () => {
    const shown = (day: string) => halfHoursOf(day).map(({ time, zone, isRepeated }) => [time, zone, isRepeated]);
    expect(shown('2026-10-25').slice(1, 7)).toEqual([
      ['00:30', 'BST', false],
      ['01:00', 'BST', false],
      ['01:30', 'BST', false],
      ['01:00', 'GMT', true],
      ['01:30', 'GMT', true],
      ['02:00', 'GMT', false],
    ]);
    expect(shown('2026-03-29').slice(1, 3)).toEqual([
      ['00:30', 'GMT', false],
      ['02:00', 'BST', false],
    ]);
  });

  it('returns the day of an instant, the week of a day, and the next changes of the clocks', () => {
    expect(dayOf('2026-07-14T23:30:00Z')).toBe('2026-07-15');
    expect(weekOf('2026-03-01')).toEqual(Array.from({ length: 7 }, (_, index) => daysAfter('2026-02-23', index)));
    expect(clockChanges('2026-03-29', 3)).toEqual(['2026-03-29', '2026-10-25', '2027-03-28']);
    expect(clockChanges('2026-10-26', 2)).toEqual(['2027-03-28', '2027-10-31']);
    expect(clockChanges('2026-10-25', 1)).toEqual(['2026-10-25']);
    const many = clockChanges('2020-01-01', 40);
    expect([many.length, many.at(-1)]).toEqual([40, '2039-10-30']);
    for (const day of many) expect(halfHoursOf(day).length).not.toBe(48);
  });

  it('accepts valid days in the years of tariffs', () => {
    expect(dayOfText('2028-02-29')).toBe('2028-02-29');
    const others = [
      '2026-02-29',
      '2026-13-01',
      '2026-1-1',
      '29/03/2026',
      '1999-12-31',
      '2200-01-01',
      '',
      ['2026-01-01'],
    ];
    for (const other of [...others, undefined]) expect(dayOfText(other)).toBeUndefined();
  });

  it('formats instants in the wall time of Great Britain', () => {
    expect(writtenInstant('2026-03-31T23:00:00.000Z')).toBe('1 Apr 2026');
    expect(writtenInstant('2026-07-14T13:30:00.000Z')).toBe('14 Jul 2026, 14:30 UK time');
  });
});

describe('addresses of the tariff pages', () => {
  it('contain the tariff id of Interface D, and a day', () => {
    expect(tariffPage(ID)).toBe(`/tariffs/${ID}`);
    expect(weekPage(ID, '2026-03-29')).toBe(`/tariffs/${ID}?date=2026-03-29#week`);
    expect(tariffOfAddress({ tariffId: ID })).toBe(ID);
    for (const other of ['', 'trf_1', ID.toUpperCase(), `${ID}0`])
      expect(tariffOfAddress({ tariffId: other })).toBeUndefined();
  });
});

describe('the day that a page shows', () => {
  const validity = { validFrom: '2026-03-31T23:00:00Z', validTo: '2026-09-30T23:00:00Z' };

  it.each([
    ['today', '2026-07-15', '2026-07-15'],
    ['the first day of a tariff that has not started', '2026-01-01', '2026-04-01'],
    ['the last day of one that has ended', '2026-12-01', '2026-09-30'],
  ])('is %s, unless another day is requested', (_, today, day) => {
    expect(shownDay(undefined, validity, today)).toMatchObject({ day, error: undefined });
    expect(shownDay('', validity, today)).toMatchObject({ day, error: undefined });
    expect(shownDay('2026-03-29', validity, today)).toMatchObject({ day: '2026-03-29', error: undefined });
  });

  it('is the default, with an error, if the requested day is malformed', () => {
    expect(shownDay('2026-02-30', validity, '2026-07-15')).toMatchObject({
      day: '2026-07-15',
      error: '“2026-02-30” is no day from 2000 to 2199. Write it as 2026-03-29.',
    });
    expect(shownDay(['2026-01-01', '2026-01-02'], validity, '2026-07-15').error).toMatch(/^That is no day/);
  });
});

describe('the prices of a week', () => {
  const week = weekOf('2026-07-15');
  const returning = (response: unknown) => ({ execute: <Result>() => Promise.resolve(response as Result) });

  it('are rejected with NTF003 if the tariff has been deleted meanwhile', async () => {
    await expect(readWeek(returning({ tariff: null }), TARIFF, week)).rejects.toMatchObject({ code: 'NTF003' });
    expect(await readWeek(returning({ tariff: { prices: [] } }), TARIFF, week)).toEqual([]);
  });
});

describe('the filter of the list', () => {
  it('accepts the nine filters of Interface D under their names', () => {
    const query = {
      ...{ mpid: 'FNLD', tariff_type: 'dynamic', fuel_type: 'gas', energy_flow: 'export', meter_type: 'smart' },
      ...{ payment_method: 'non_direct_debit', customer_type: 'business', ldz_region: 'NWT' },
      ...{ valid_from: '2026-07-01', valid_to: '2026-07-31' },
    };
    const filter = tariffFilterOf(query);
    expect(filter.errors).toEqual([]);
    expect(filter.query).toEqual(query);
    expect(filter.variables).toEqual({
      ...{ mpid: 'FNLD', tariffType: 'DYNAMIC', fuelType: 'GAS', energyFlow: 'EXPORT', meterType: 'SMART' },
      ...{ paymentMethod: 'NON_DIRECT_DEBIT', customerType: 'BUSINESS', ldzRegion: 'NWT' },
      ...{ validFrom: '2026-06-30T23:00:00.000Z', validTo: '2026-07-31T23:00:00.000Z' },
    });
    expect(filter.fields.map(({ choices }) => choices.filter(({ isChosen }) => isChosen).length)).toEqual(
      Array.from({ length: 7 }, () => 1),
    );
  });

  it('ignores empty and unknown parameters', () => {
    expect(tariffFilterOf({ mpid: '', fuel_type: ' ', valid_from: '', utm_source: 'x' })).toMatchObject({
      ...{ variables: {}, query: {}, errors: [] },
    });
  });

  it('returns an error for each malformed value', () => {
    const { errors, invalid, query, variables } = tariffFilterOf({
      ...{ mpid: 'fnld', fuel_type: 'coal', ldz_region: 'toString', valid_from: 'soon', meter_type: 'smart' },
    });
    expect(errors).toEqual([
      '“fnld” is no market participant id. An id has four capital letters or digits.',
      'Fuel: there is no fuel_type “coal”.',
      'Region: there is no ldz_region “toString”.',
      '“soon” is no day from 2000 to 2199. Write it as 2026-03-29.',
    ]);
    expect(invalid).toEqual(['mpid', 'fuel_type', 'ldz_region', 'valid_from']);
    expect(query).toEqual({ meter_type: 'smart', valid_from: 'soon' });
    expect(variables).toEqual({ meterType: 'SMART' });
  });

  it('rejects a window that ends before it starts', () => {
    const days = { valid_from: '2026-07-02', valid_to: '2026-07-01' };
    expect(tariffFilterOf(days)).toMatchObject({
      errors: ['The window of validity ends before it starts.'],
      invalid: ['valid_from', 'valid_to'],
      query: days,
      variables: {},
    });
    expect(tariffFilterOf({ valid_from: '2026-07-01', valid_to: '2026-07-01' }).errors).toEqual([]);
  });
});

describe('the details of a tariff', () => {
  const values = (tariff: Tariff) => {
    const { kind, terms } = tariffDetails(tariff);
    return Object.fromEntries([...kind, ...terms].map(({ name, value }) => [name, value]));
  };

  it('are formatted for readers', () => {
    expect(values(TARIFF)).toEqual({
      ...{ Fuel: 'Electricity, import', Prices: 'Static', Meter: 'Multi-rate', Customer: 'Business' },
      ...{ Payment: 'Not direct debit', Region: 'North West (NWT)', Green: '72.5 %' },
      ...{
        'Standing charge': '57.726 p per day including VAT (48.105 p excluding VAT)',
        VAT: 'not included in the published amounts, at 20 %',
      },
      ...{ Valid: 'from 31 Dec 2025, 23:00 UK time', 'On sale': 'until 30 Jun 2026, 23:30 UK time' },
      Published: 'version 2, 1 May 2026, 10:12 UK time',
    });
  });

  it('are omitted if the tariff does not state them', () => {
    const shown = values({ ...TARIFF, percentageGreen: null, sellableTo: null, vatIncluded: true, vatRate: null });
    expect([shown['Green'], shown['On sale'], shown['VAT']]).toEqual([
      undefined,
      undefined,
      'included in the published amounts, at an unknown rate',
    ]);
  });

  it('have the chain of replacements, oldest first', () => {
    const named = (name: string) => ({ tariffId: ID, name, validFrom: '2026-01-01T00:00:00Z', validTo: null });
    const chain = replacementChain({
      ...TARIFF,
      replaces: { ...named('second'), replaces: named('first') },
      replacedBy: { ...named('fourth'), replacedBy: { ...named('fifth'), replacedBy: null } },
    });
    expect(chain).toMatchObject({ earlier: undefined, later: undefined });
    expect(chain.links.map(({ name, isShown }) => [name, isShown])).toEqual([
      ['first', false],
      ['second', false],
      ['Steady', true],
      ['fourth', false],
      ['fifth', false],
    ]);
    expect(replacementChain(TARIFF).links).toEqual([]);
  });

  it('has links to further tariffs if the chain has more than three on a side', () => {
    const named = (number: number) => ({
      ...{ tariffId: `trf_${String(number).padStart(32, '0')}`, name: `number ${number}` },
      ...{ validFrom: '2026-01-01T00:00:00Z', validTo: null },
    });
    const replaces = [4, 3, 2, 1].reduceRight<Tariff['replaces']>(
      (before, each) => ({ ...named(each), replaces: before }),
      null,
    );
    const replacedBy = [6, 7, 8, 9].reduceRight<Tariff['replacedBy']>(
      (after, each) => ({ ...named(each), replacedBy: after }),
      null,
    );
    const { links, earlier, later } = replacementChain({ ...TARIFF, ...named(5), replaces, replacedBy });
    expect(links.map(({ name }) => name)).toEqual([2, 3, 4, 5, 6, 7, 8].map((each) => named(each).name));
    expect([earlier, later]).toEqual([tariffPage(named(1).tariffId), tariffPage(named(9).tariffId)]);
    expect(
      replacementChain({ ...TARIFF, ...named(5), replaces: replaces?.replaces ?? null, replacedBy }),
    ).toMatchObject({
      earlier: undefined,
    });
  });
});

describe('the rates as they are published', () => {
  it('are in the order of the tree, each with its path', () => {
    const hour = (validFrom: string, validTo: string, ...prices: [string, string | null][]) => ({
      ...{ validFrom, validTo },
      rate: prices.map(([unitPrice, toKwh]) => ({ unitPrice, toKwh })),
    });
    const groups = rateGroups([
      {
        months: ['NOV', 'DEC'],
        dates: [1, 15],
        daysAndHours: [
          { days: ['MON', 'TUE', 'WED', 'SAT'], hours: [hour('22:00:00', '06:00:00', ['0.10', null])] },
          { days: ['SUN'], hours: [hour('00:00:00', '00:00:00', ['0.10', '2'], ['0.205', null])] },
        ],
      },
      {
        months: ['ALL'],
        dates: null,
        daysAndHours: [{ days: ['ALL'], hours: [hour('00:00:00', '12:00:00', ['0.3', null])] }],
      },
    ]);
    expect(groups.map(({ when, days }) => `${when}: ${days}`)).toEqual([
      'Nov, Dec, on day 1, 15: Mon to Wed, Sat',
      'Nov, Dec, on day 1, 15: Sun',
      'All months: all days',
    ]);
    expect(groups.flatMap(({ rates }) => rates)).toEqual([
      { id: 'rate-0-0-0', name: '1.1.1', window: '22:00–06:00 next day', prices: ['10.00 p/kWh'] },
      {
        ...{ id: 'rate-0-1-0', name: '1.2.1', window: '00:00–24:00' },
        prices: ['10.00 p/kWh up to 2 kWh', '20.50 p/kWh above 2 kWh'],
      },
      { id: 'rate-1-0-0', name: '2.1.1', window: '00:00–12:00', prices: ['30.00 p/kWh'] },
    ]);
  });
});

describe('a problem page of the tariffs', () => {
  it.each(['/tariffs', '/tariffs?mpid=X', `/tariffs/${ID}`])('links to the public list from %s', (address) => {
    const { model, status } = problemOf(new OperationError('NTF003'), address);
    expect([status, model?.['title'], model?.['section']]).toEqual([404, 'Tariff not found', 'tariffs']);
    expect(model?.['onward']).toEqual({ address: '/tariffs', name: 'Go to the tariffs' });
  });

  it('links to other sections from other addresses', () => {
    expect(problemOf(new OperationError('NTF001'), '/tariffsheet').model?.['onward']).toMatchObject({ address: '/' });
    expect(problemOf(new OperationError('NTF001'), '/grid/tariffs').model?.['onward']).toMatchObject({
      address: '/grid',
    });
  });
});
