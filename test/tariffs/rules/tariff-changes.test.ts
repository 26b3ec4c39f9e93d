import { type ReplacedTariff, replacementViolations } from '../../../subgraphs/tariffs/domain/replacement-rules';
import type { TariffInput, TariffScheduleEntry } from '../../../subgraphs/tariffs/domain/tariff';
import { tariffChanges } from '../../../subgraphs/tariffs/domain/tariff-changes';
import { told } from '../../support/access-records';
import { aroundTheClock, entry, flatTariff, group, published, window } from '../../support/tariff-examples';

/** A tariff in which everything is said. */
const FORMER = flatTariff((tariff) => {
  Object.assign(tariff, {
    description: 'One price around the clock',
    percentageGreen: 40,
    comments: 'Paper bills cost extra',
    validTo: new Date('2027-01-01T00:00:00Z'),
    sellableFrom: new Date('2025-12-01T00:00:00Z'),
    sellableTo: new Date('2026-06-01T00:00:00Z'),
    replaces: `trf_${'a'.repeat(32)}`,
  });
  const tiered = window('00:00', '12:00', '0.10');
  tiered.rate.unshift({ unitPrice: '0.20', toKwh: '10.5' });
  tariff.rates = [
    { ...entry(['Jan', 'Feb'], group(['Sat', 'Sun'], aroundTheClock('0.30')), group(['All'], aroundTheClock('0.25'))) },
    { ...entry(['All'], group(['All'], tiered, window('12:00', '00:00', '0.40'))), dates: [1, 2] },
  ];
});

function changesOf(change: (input: TariffInput) => void) {
  const input = structuredClone(FORMER);
  change(input);
  const { descriptive, refused } = tariffChanges(published(FORMER), input);
  return { descriptive, refused: refused.map(({ code, path }) => `${code} ${path.join('/')}`) };
}

const refusedOf = (changes: Partial<TariffInput>) => changesOf((input) => void Object.assign(input, changes)).refused;
const NOTHING = { descriptive: [], refused: [] };

describe('A tariff that is published again', () => {
  it('changes nothing when it is the same', () => {
    expect(changesOf(() => undefined)).toEqual(NOTHING);
  });

  it('changes nothing when it says the same in another way', () => {
    expect(
      changesOf((input) => {
        input.standingCharge = '0.53120';
        const [first, second] = input.rates as [TariffScheduleEntry, TariffScheduleEntry];
        first.months = first.months.toReversed();
        first.daysAndHours[0]?.days.unshift(first.daysAndHours[0].days.pop() ?? 'Mon');
        second.dates = [2, 1];
        delete input.rates[0]?.dates;
        const tier = input.rates[1]?.daysAndHours[0]?.hours[0]?.rate[0];
        Object.assign(tier ?? {}, { unitPrice: '0.2000', toKwh: '10.50' });
        delete input.rates[0]?.daysAndHours[0]?.hours[0]?.rate[0]?.toKwh;
      }),
    ).toEqual(NOTHING);
  });

  it.each([
    ['name', 'Lapwing Flat 2026'],
    ['description', 'One price, day and night'],
    ['comments', null],
    ['percentageGreen', 41.5],
  ] as const)('may correct its %s', (field, value) => {
    expect(changesOf((input) => void Object.assign(input, { [field]: value }))).toEqual({
      descriptive: [field],
      refused: [],
    });
  });

  it('takes what is left out as null', () => {
    const { descriptive, refused } = changesOf((input) => {
      for (const field of ['description', 'comments', 'percentageGreen', 'vatRate', 'validTo'] as const)
        delete input[field];
    });
    expect(descriptive).toEqual(['description', 'comments', 'percentageGreen']);
    expect(refused).toEqual(['CNF005 vatRate', 'CNF005 validTo']);
  });

  it('takes what was null, and is left out, as the same', () => {
    const former = published(flatTariff());
    expect(tariffChanges(former, flatTariff())).toEqual(NOTHING);
  });

  it.each<[keyof TariffInput, unknown]>([
    ['tariffType', 'dynamic'],
    ['fuelType', 'gas'],
    ['energyFlow', 'export'],
    ['paymentMethod', 'prepayment'],
    ['meterType', 'smart'],
    ['customerType', 'business'],
    ['ldzRegion', 'SC'],
    ['standingCharge', '0.53121'],
    ['vatIncluded', false],
    ['vatRate', 20],
    ['validFrom', new Date('2026-01-01T00:00:00.001Z')],
    ['validTo', null],
    ['sellableFrom', null],
    ['sellableTo', new Date('2026-07-01T00:00:00Z')],
    ['replaces', null],
  ])('cannot change its %s', (field, value) => {
    expect(refusedOf({ [field]: value })).toEqual([`CNF005 ${field}`]);
  });

  it('leaves no field of a tariff unjudged', () => {
    const other: TariffInput = {
      ...{ tariffId: FORMER.tariffId, name: 'x', description: 'x', comments: 'x', percentageGreen: 1 },
      ...({ tariffType: 'dynamic', fuelType: 'gas', energyFlow: 'export', paymentMethod: 'prepayment' } as const),
      ...({ meterType: 'smart', customerType: 'business', ldzRegion: 'SC', standingCharge: '0.99' } as const),
      ...{ vatIncluded: false, vatRate: 1, validFrom: new Date(0), validTo: new Date(1), rates: [] },
      ...{ sellableFrom: new Date(2), sellableTo: new Date(3), replaces: null },
    };
    const { descriptive, refused } = tariffChanges(published(FORMER), other);
    const judged = [...descriptive, ...refused.map(({ path }) => String(path[0])), 'tariffId'];
    expect(judged.toSorted()).toEqual(Object.keys(FORMER).toSorted());
  });

  it('cannot change a price or a time, and is told each place', () => {
    const { refused } = changesOf(({ rates: [winter, rest] }) => {
      winter?.months.push('Mar');
      Object.assign(winter?.daysAndHours[1]?.hours[0] ?? {}, window('00:30', '00:30', '0.26'));
      Object.assign(rest ?? {}, { dates: null });
      const [tiered, evening] = rest?.daysAndHours[0]?.hours ?? [];
      tiered?.rate.shift();
      Object.assign(evening?.rate[0] ?? {}, { unitPrice: '0.41' });
    });
    const hours = 'CNF005 rates/0/daysAndHours/1/hours/0';
    expect(refused.toSorted()).toEqual([
      'CNF005 rates/0/daysAndHours/1/hours/0/rate/0/unitPrice',
      `${hours}/validFrom`,
      `${hours}/validTo`,
      'CNF005 rates/0/months',
      'CNF005 rates/1/dates',
      'CNF005 rates/1/daysAndHours/0/hours/0/rate',
      'CNF005 rates/1/daysAndHours/0/hours/1/rate/0/unitPrice',
    ]);
  });

  it('cannot exchange entries: the first that matches counts', () => {
    const { refused } = changesOf((input) => void (input.rates = input.rates.toReversed()));
    expect(refused).toContain('CNF005 rates/0/months');
    expect(changesOf(({ rates }) => void rates.pop()).refused).toEqual(['CNF005 rates']);
  });

  it('says that a new tariff is needed, and tells no value', () => {
    const { refused } = tariffChanges(published(FORMER), { ...FORMER, standingCharge: '0.98765' });
    expect(told(refused)).toEqual([
      'CNF005 standingCharge: cannot be changed: a change of price or time needs a new tariff, which may replace this one',
    ]);
  });
});

describe('A tariff that replaces another', () => {
  const tariff = { ...published(flatTariff()), replaces: `trf_${'b'.repeat(32)}` };
  const replaced: ReplacedTariff = { mpid: 'LAPW', fuelType: 'electricity', energyFlow: 'import', replacedBy: null };
  const of = (changes: Partial<ReplacedTariff>) => told(replacementViolations(tariff, { ...replaced, ...changes }));

  it('names one of the same supplier, fuel and flow', () => {
    expect(of({})).toEqual([]);
    const unknown = 'NTF003 replaces: is not the id of a tariff of this supplier';
    expect(told(replacementViolations(tariff, undefined))).toEqual([unknown]);
    expect(of({ mpid: 'DUNL' })).toEqual([unknown]);
    expect(of({ fuelType: 'gas' })).toEqual(['VAL003 replaces: is a tariff for another fuel']);
    expect(of({ energyFlow: 'export' })).toEqual(['VAL003 replaces: is a tariff for another flow of energy']);
  });

  it('is the only one that does', () => {
    expect(of({ replacedBy: tariff.tariffId })).toEqual([]);
    expect(of({ replacedBy: `trf_${'c'.repeat(32)}` })).toEqual([
      'CNF001 replaces: is replaced by another tariff already',
    ]);
  });
});
