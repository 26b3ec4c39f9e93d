import { type ReplacedTariff, replacementViolations } from '../../../subgraphs/tariffs/catalogue/replacement-rules';
import type { Tariff, TariffInput, TariffScheduleEntry } from '../../../subgraphs/tariffs/catalogue/tariff';
import { fixedViolations, tariffChanges } from '../../../subgraphs/tariffs/catalogue/tariff-changes';
import { MAX_VIOLATIONS } from '../../../schema/register-error';
import { violationLines } from '../../support/access-records';
import { aroundTheClock, entry, flatTariff, group, published, window } from '../../support/tariff-examples';
import { yearOfStoredRates } from '../../support/year-of-rates';

/** A tariff with every optional field. */
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

/** An instant before the ends of validity and sale. */
const NOW = new Date('2026-03-01T00:00:00Z');

const compare = (former: Tariff, input: TariffInput, now: Date) =>
  tariffChanges(former, input, now, [...fixedViolations(former, input)].flat());

function changesOf(change: (input: TariffInput) => void, now = NOW) {
  const input = structuredClone(FORMER);
  change(input);
  const { descriptive, ends, violations } = compare(published(FORMER), input, now);
  return { descriptive, ends, violations: violations.map(({ code, path }) => `${code} ${path.join('/')}`) };
}

const rejectedFields = (changes: Partial<TariffInput>) =>
  changesOf((input) => void Object.assign(input, changes)).violations;
const NOTHING = { descriptive: [], ends: [], violations: [] };

describe('A tariff that is published again', () => {
  it('changes nothing if it is equal', () => {
    expect(changesOf(() => undefined)).toEqual(NOTHING);
  });

  it('changes nothing if it is equal in another notation', () => {
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
      ...NOTHING,
      descriptive: [field],
    });
  });

  it('treats absent fields as null', () => {
    const { descriptive, violations } = changesOf((input) => {
      for (const field of ['description', 'comments', 'percentageGreen', 'vatRate', 'validTo'] as const)
        delete input[field];
    });
    expect(descriptive).toEqual(['description', 'comments', 'percentageGreen']);
    expect(violations).toEqual(['CNF005 vatRate', 'CNF005 validTo']);
  });

  it('treats null and absent fields as equal', () => {
    const former = published(flatTariff());
    expect(compare(former, flatTariff(), NOW)).toEqual(NOTHING);
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
    ['sellableFrom', null],
    ['replaces', null],
  ])('cannot change its %s', (field, value) => {
    expect(rejectedFields({ [field]: value })).toEqual([`CNF005 ${field}`]);
  });

  const END = { validTo: '2027-01-01T00:00:00Z', sellableTo: '2026-06-01T00:00:00Z' };
  const [LATER, EARLIER] = [new Date('2027-06-01T00:00:00Z'), new Date('2026-04-01T00:00:00Z')];
  const PASSED = 'cannot be changed: it has passed';
  const REMOVED = 'cannot be removed, only moved';
  const INTO_THE_PAST = 'cannot be moved into the past';

  describe.each(['validTo', 'sellableTo'] as const)('with another %s', (field) => {
    const end = new Date(END[field]);
    const moved = (next: Date | null, now = NOW) => {
      const changes = compare(published(FORMER), { ...FORMER, [field]: next }, now);
      return [changes.ends, violationLines(changes.violations)];
    };
    const rejected = (message: string) => [[field], [`CNF005 ${field}: ${message}`]];

    it.each([
      ['is moved later', LATER, NOW, [[field], []]],
      ['is moved earlier', EARLIER, NOW, [[field], []]],
      ['is moved until the last instant', LATER, new Date(end.getTime() - 1), [[field], []]],
      ['cannot be moved once it has passed', LATER, end, rejected(PASSED)],
      ['cannot be moved to now', NOW, NOW, rejected(INTO_THE_PAST)],
      ['cannot be moved into the past', new Date('2026-02-01T00:00:00Z'), NOW, rejected(INTO_THE_PAST)],
      ['cannot be removed', null, NOW, rejected(REMOVED)],
    ])('%s', (_, next, now, expected) => expect(moved(next, now)).toEqual(expected));

    it('can be set if there is none, not in the past', () => {
      const former = published(flatTariff());
      const set = (next: Date) => compare(former, { ...flatTariff(), [field]: next }, NOW);
      expect([set(LATER).ends, set(LATER).violations]).toEqual([[field], []]);
      expect(violationLines(set(NOW).violations)).toEqual([`CNF005 ${field}: ${INTO_THE_PAST}`]);
    });
  });

  it('is checked in every field of a tariff', () => {
    const other: TariffInput = {
      ...{ tariffId: FORMER.tariffId, name: 'x', description: 'x', comments: 'x', percentageGreen: 1 },
      ...({ tariffType: 'dynamic', fuelType: 'gas', energyFlow: 'export', paymentMethod: 'prepayment' } as const),
      ...({ meterType: 'smart', customerType: 'business', ldzRegion: 'SC', standingCharge: '0.99' } as const),
      ...{ vatIncluded: false, vatRate: 1, validFrom: new Date(0), validTo: new Date(1), rates: [] },
      ...{ sellableFrom: new Date(2), sellableTo: new Date(3), replaces: null },
    };
    const { descriptive, violations } = compare(published(FORMER), other, NOW);
    const judged = [...descriptive, ...violations.map(({ path }) => String(path[0])), 'tariffId'];
    expect(judged.toSorted()).toEqual(Object.keys(FORMER).toSorted());
  });

  it('cannot change a price or a time; each path is reported', () => {
    const { violations } = changesOf(({ rates: [winter, rest] }) => {
      winter?.months.push('Mar');
      Object.assign(winter?.daysAndHours[1]?.hours[0] ?? {}, window('00:30', '00:30', '0.26'));
      Object.assign(rest ?? {}, { dates: null });
      const [tiered, evening] = rest?.daysAndHours[0]?.hours ?? [];
      tiered?.rate.shift();
      Object.assign(evening?.rate[0] ?? {}, { unitPrice: '0.41' });
    });
    const hours = 'CNF005 rates/0/daysAndHours/1/hours/0';
    expect(violations.toSorted()).toEqual([
      'CNF005 rates/0/daysAndHours/1/hours/0/rate/0/unitPrice',
      `${hours}/validFrom`,
      `${hours}/validTo`,
      'CNF005 rates/0/months',
      'CNF005 rates/1/dates',
      'CNF005 rates/1/daysAndHours/0/hours/0/rate',
      'CNF005 rates/1/daysAndHours/0/hours/1/rate/0/unitPrice',
    ]);
  });

  it('cannot reorder entries, because the first match applies', () => {
    const { violations } = changesOf((input) => void (input.rates = input.rates.toReversed()));
    expect(violations).toContain('CNF005 rates/0/months');
    expect(changesOf(({ rates }) => void rates.pop()).violations).toEqual(['CNF005 rates']);
  });

  describe('with a year of half-hourly prices', () => {
    const ofYear = published({ ...flatTariff(), rates: yearOfStoredRates() });
    const inputOf = (change: (price: string) => string): TariffInput => {
      const input = structuredClone(ofYear);
      for (const { rate } of input.rates.flatMap(({ daysAndHours }) => daysAndHours.flatMap(({ hours }) => hours)))
        for (const tier of rate) tier.unitPrice = change(tier.unitPrice);
      return input;
    };

    it.each([
      ['equal', (price: string) => price],
      ['equal in another notation', (price: string) => `0${price}`],
      ['all different', (price: string) => `1${price}`],
    ])(
      '%s, is compared in parts of less than a few milliseconds, between which other requests are served',
      (_, change) => {
        const input = inputOf(change);
        const longest = () => {
          let [start, max] = [process.cpuUsage(), 0];
          for (const _part of fixedViolations(ofYear, input)) {
            max = Math.max(max, process.cpuUsage(start).user / 1_000);
            start = process.cpuUsage();
          }
          return max;
        };
        const runs = Array.from({ length: 5 }, longest);
        expect(Math.min(...runs)).toBeLessThan(10);
      },
    );

    it('reports no more differences than an error contains', () => {
      const paths = compare(
        ofYear,
        inputOf((price) => `1${price}`),
        NOW,
      ).violations.map(({ path }) => path);
      expect(paths).toHaveLength(MAX_VIOLATIONS);
      expect(paths[49]).toEqual(['rates', 1, 'daysAndHours', 0, 'hours', 1, 'rate', 0, 'unitPrice']);
    });
  });

  it('reports that a new tariff is needed, without echoing a value', () => {
    const { violations } = compare(published(FORMER), { ...FORMER, standingCharge: '0.98765' }, NOW);
    expect(violationLines(violations)).toEqual([
      'CNF005 standingCharge: cannot be changed: a change of price or time needs a new tariff, which may replace this one',
    ]);
  });
});

describe('A tariff that replaces another', () => {
  const tariff = { ...published(flatTariff()), replaces: `trf_${'b'.repeat(32)}` };
  const replaced: ReplacedTariff = { mpid: 'LAPW', fuelType: 'electricity', energyFlow: 'import', replacedBy: null };
  const of = (changes: Partial<ReplacedTariff>) =>
    violationLines(replacementViolations(tariff, { ...replaced, ...changes }));

  it('must have the same supplier, fuel and energy flow', () => {
    expect(of({})).toEqual([]);
    const unknown = 'NTF003 replaces: is not the id of a tariff of this supplier';
    expect(violationLines(replacementViolations(tariff, undefined))).toEqual([unknown]);
    expect(of({ mpid: 'DUNL' })).toEqual([unknown]);
    expect(of({ fuelType: 'gas' })).toEqual(['VAL003 replaces: is a tariff for another fuel']);
    expect(of({ energyFlow: 'export' })).toEqual(['VAL003 replaces: is a tariff for another flow of energy']);
  });

  it('must be the only replacement', () => {
    expect(of({ replacedBy: tariff.tariffId })).toEqual([]);
    expect(of({ replacedBy: `trf_${'c'.repeat(32)}` })).toEqual([
      'CNF001 replaces: is replaced by another tariff already',
    ]);
  });
});
