import { publicationViolations } from '../../../subgraphs/tariffs/catalogue/publication-rules';
import type { RateTier, TariffInput, TariffScheduleEntry } from '../../../subgraphs/tariffs/catalogue/tariff';
import { violationLines } from '../../support/access-records';
import { aroundTheClock, entry, flatTariff, group, tariffWith, window } from '../../support/tariff-examples';

const violationsOf = async (tariff: TariffInput) =>
  violationLines(await publicationViolations(tariff, () => Promise.resolve([])));
const changed = (changes: Partial<TariffInput>) =>
  violationsOf(flatTariff((tariff) => void Object.assign(tariff, changes)));
const tree = (...rates: TariffScheduleEntry[]) => violationsOf(tariffWith(...rates));
const always = group(['All'], aroundTheClock('0.25'));
const at = (instant: string) => new Date(instant);

describe('The fields of a tariff', () => {
  it('are valid with and without optional fields', async () => {
    expect(await violationsOf(flatTariff())).toEqual([]);
    const optional = { description: '', comments: '', percentageGreen: null, replaces: null, validTo: null };
    expect(await changed({ ...optional, sellableFrom: null, sellableTo: null })).toEqual([]);
    expect(
      await changed({
        name: '🐦'.repeat(100),
        description: 'd'.repeat(2_000),
        comments: 'c'.repeat(2_000),
        percentageGreen: 100,
        replaces: `trf_${'9'.repeat(32)}`,
        validTo: at('2027-01-01T00:00:00Z'),
      }),
    ).toEqual([]);
  });

  it.each<[keyof TariffInput, string]>([
    ['name', 'must have 1 to 100 characters'],
    ['description', 'must have 0 to 2000 characters'],
    ['comments', 'must have 0 to 2000 characters'],
  ])('are limited to %s', async (field, message) => {
    const most = Number(/to (\d+)/.exec(message)?.[1]);
    expect(await changed({ [field]: '🐦'.repeat(most + 1) })).toEqual([`VAL003 ${field}: ${message}`]);
    expect(await changed({ [field]: 'a\0b' })).toEqual([`VAL001 ${field}: contains a character that cannot be stored`]);
  });

  it('must have a name with a visible character', async () => {
    expect(await changed({ name: '' })).toEqual(['VAL003 name: must have 1 to 100 characters']);
    for (const name of [' \t', '\u200b', '\u3164'])
      expect(await changed({ name })).toEqual(['VAL003 name: must have a visible character']);
  });

  it.each(['trf_1', `trf_${'A'.repeat(32)}`, `usr_${'0'.repeat(32)}`, `trf_${'0'.repeat(32)}\n`])(
    'must not have or replace an id such as %j',
    async (id) => {
      expect(await changed({ tariffId: id, replaces: `${id}0` })).toEqual([
        'VAL001 tariffId: must match ^trf_[0-9a-f]{32}$',
        'VAL001 replaces: must match ^trf_[0-9a-f]{32}$',
      ]);
    },
  );

  it('must not replace the tariff itself', async () => {
    expect(await changed({ replaces: flatTariff().tariffId })).toEqual(['VAL003 replaces: must be another tariff']);
  });

  it.each(['1', '.50', '0.5', '0.123456', '-0.50', '+0.50', '1e2.00', '0,50', ' 0.50', '0.50\n', ''])(
    'must not have a price such as %j',
    async (price) => {
      const rates = [entry(['All'], group(['All'], aroundTheClock(price)))];
      expect(await changed({ standingCharge: price, rates })).toEqual([
        'VAL001 standingCharge: must match ^\\d+\\.\\d{2,5}$',
        'VAL001 rates/0/daysAndHours/0/hours/0/rate/0/unitPrice: must match ^\\d+\\.\\d{2,5}$',
      ]);
    },
  );

  it.each(['0.00', '0.12345', '00012.50', '99999999999999.12345'])('may have a price such as %j', async (price) => {
    expect(
      await changed({ standingCharge: price, rates: [entry(['All'], group(['All'], aroundTheClock(price)))] }),
    ).toEqual([]);
  });

  it('have prices of at most 20 characters', async () => {
    expect(await changed({ standingCharge: `${'9'.repeat(18)}.00` })).toEqual([
      'VAL003 standingCharge: must have at most 20 characters',
    ]);
  });

  it.each([-0.1, 100.1, NaN, Infinity])('must not have a percentage such as %j', async (percentageGreen) => {
    expect(await changed({ percentageGreen })).toEqual(['VAL003 percentageGreen: must be 0 to 100']);
  });

  it('have a rate of VAT, an integer 0 to 100, where the prices exclude VAT', async () => {
    for (const vatIncluded of [true, false]) {
      for (const vatRate of [0, 5, 100]) expect(await changed({ vatIncluded, vatRate })).toEqual([]);
      for (const vatRate of [-1, 101, 17.5])
        expect(await changed({ vatIncluded, vatRate })).toEqual(['VAL003 vatRate: must be an integer 0 to 100']);
    }
    for (const vatRate of [null, undefined]) {
      expect(await changed({ vatIncluded: true, vatRate })).toEqual([]);
      expect(await changed({ vatIncluded: false, vatRate })).toEqual([
        'VAL002 vatRate: is required when prices do not include VAT',
      ]);
    }
  });

  it.each([
    ['validFrom', 'validTo', 'validity'],
    ['sellableFrom', 'sellableTo', 'sale'],
  ])('end after %s', async (from, to, period) => {
    const begin = at('2026-06-01T00:00:00Z');
    const ends = (end: string) => changed({ [from]: begin, [to]: at(end) });
    expect(await ends('2026-06-01T00:00:00.001Z')).toEqual([]);
    expect(await ends('2026-06-01T00:00:00Z')).toEqual([`VAL003 ${to}: must be after the beginning of its ${period}`]);
    expect(await ends('2026-05-31T23:59:59.999Z')).toEqual([
      `VAL003 ${to}: must be after the beginning of its ${period}`,
    ]);
    expect(await changed({ sellableTo: begin })).toEqual([]);
  });

  it('report all violations at once, each path once', async () => {
    const faults = await changed({ name: '', standingCharge: 'x', vatRate: -1, rates: [] });
    expect(faults).toEqual([
      'VAL003 name: must have 1 to 100 characters',
      'VAL001 standingCharge: must match ^\\d+\\.\\d{2,5}$',
      'VAL003 rates: must have at least one entry',
      'VAL003 vatRate: must be an integer 0 to 100',
    ]);
  });
});

describe('Messages of violations', () => {
  it('contain no GraphQL field name: REST responses contain them, too', async () => {
    const before = at('2026-01-01T00:00:00Z');
    const faults = [
      ...(await changed({
        vatIncluded: false,
        vatRate: null,
        validTo: before,
        sellableFrom: before,
        sellableTo: before,
      })),
      ...(await changed({ name: '', percentageGreen: 101, vatRate: 101, tariffId: 'x', replaces: 'x', rates: [] })),
    ];
    expect(faults.length).toBeGreaterThan(8);
    for (const fault of faults) expect(fault.slice(fault.indexOf(': '))).not.toMatch(/[a-z][A-Z]/);
  });
});

describe('Months, dates and days', () => {
  const dated = (months: TariffScheduleEntry['months'], dates: number[]) =>
    tree({ ...entry(months, always), dates }, entry(['All'], always));

  it('must be listed once each, and All alone', async () => {
    expect(await tree(entry(['Jan', 'Feb', 'Jan'], always), entry(['All'], always))).toEqual([
      'VAL003 rates/0/months: must not name a month twice',
    ]);
    expect(await tree(entry(['All', 'Jan'], always))).toEqual(['VAL003 rates/0/months: must name All alone']);
    expect(await tree(entry(['All'], group(['Mon', 'Mon'], aroundTheClock('0.25')), always))).toEqual([
      'VAL003 rates/0/daysAndHours/0/days: must not name a day twice',
    ]);
    expect(await tree(entry(['All'], group(['Sun', 'All'], aroundTheClock('0.25'))))).toEqual([
      'VAL003 rates/0/daysAndHours/0/days: must name All alone',
    ]);
  });

  it('must be whole numbers 1 to 31, once each, that one of the months has', async () => {
    expect(await dated(['All'], [1, 29, 30, 31])).toEqual([]);
    expect(await dated(['Feb'], [29])).toEqual([]);
    expect(await dated(['Feb', 'Apr'], [30])).toEqual([]);
    expect(await dated(['Feb'], [29, 30])).toEqual(['VAL003 rates/0/dates/1: is a date that none of its months has']);
    expect(await dated(['Feb', 'Apr'], [31, 1])).toEqual([
      'VAL003 rates/0/dates/0: is a date that none of its months has',
    ]);
    expect(await dated(['Jan'], [1, 0, 32, 1.5])).toEqual(
      [1, 2, 3].map((index) => `VAL003 rates/0/dates/${index}: must be 1 to 31`),
    );
    expect(await dated(['Jan'], [1, 2, 1])).toEqual(['VAL003 rates/0/dates: must not name a date twice']);
  });

  it('must not be empty', async () => {
    const none = 'must have at least one entry';
    expect(await tree(entry([], always), entry(['All'], always))).toEqual([`VAL003 rates/0/months: ${none}`]);
    expect(await dated(['Jan'], [])).toEqual([`VAL003 rates/0/dates: ${none}`]);
    expect(await tree(entry(['All'], group([], aroundTheClock('0.25')), always))).toEqual([
      `VAL003 rates/0/daysAndHours/0/days: ${none}`,
    ]);
    expect(await tree(entry(['All']))).toEqual([`VAL003 rates/0/daysAndHours: ${none}`]);
    expect(await tree(entry(['All'], group(['All'])))).toEqual([`VAL003 rates/0/daysAndHours/0/hours: ${none}`]);
  });
});

describe('Windows of the day', () => {
  const HOURS = 'rates/0/daysAndHours/0/hours';
  const windows = (...hours: ReturnType<typeof window>[]) => tree(entry(['All'], group(['All'], ...hours)));

  it('may cover the day in any order and from any minute, run past midnight and touch each other', async () => {
    expect(await windows(window('00:00', '00:00'))).toEqual([]);
    expect(await windows(window('22:00', '06:00'), window('06:00', '22:00'))).toEqual([]);
    expect(await windows(window('06:00', '22:00'), window('22:00', '00:00'), window('00:00', '06:00'))).toEqual([]);
    expect(await windows(window('05:30', '05:30'))).toEqual([]);
    expect(await windows(window('00:20', '07:20'), window('07:20', '00:20'))).toEqual([]);
  });

  it.each(['24:00:00', '07:60:00', '7:00:00', '07:00', '07:00:60', '', '07:00:00Z', ' 07:00:00'])(
    'must not have a time such as %j',
    async (time) => {
      const pattern = 'must match ^([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$';
      const hours = { ...window('00:00', '00:00'), validFrom: time, validTo: time };
      expect(await windows(hours)).toEqual([
        `VAL001 ${HOURS}/0/validFrom: ${pattern}`,
        `VAL001 ${HOURS}/0/validTo: ${pattern}`,
      ]);
    },
  );

  it('must start and end on whole minutes; an invalid time suppresses reports of gaps', async () => {
    const odd = { ...window('00:00', '07:00'), validFrom: '00:00:01', validTo: '07:15:59' };
    expect(await windows(odd)).toEqual([
      `VAL003 ${HOURS}/0/validFrom: must be on a whole minute`,
      `VAL003 ${HOURS}/0/validTo: must be on a whole minute`,
    ]);
  });

  it('must not overlap; each overlap is reported with its minutes', async () => {
    expect(await windows(window('00:00', '08:00'), window('07:31', '00:00'))).toEqual([
      `VAL003 ${HOURS}/1: overlaps earlier windows from 07:31 to 08:00`,
    ]);
    expect(await windows(window('00:00', '00:00'), window('23:00', '01:00'), window('12:00', '12:30'))).toEqual([
      `VAL003 ${HOURS}/1: overlaps earlier windows from 23:00 to 24:00`,
      `VAL003 ${HOURS}/2: overlaps earlier windows from 12:00 to 12:30`,
    ]);
    expect(await windows(window('22:00', '06:00'), window('21:00', '05:00'), window('06:00', '21:00'))).toEqual([
      `VAL003 ${HOURS}/1: overlaps earlier windows from 00:00 to 05:00, 22:00 to 24:00`,
    ]);
  });

  it('must not run past midnight into a window of the next day, and must leave no gap there', async () => {
    const LATE = 'runs past midnight into windows of the next day from';
    const week = (...weekend: ReturnType<typeof window>[]) =>
      tree(
        entry(
          ['All'],
          group(['Mon', 'Tue', 'Wed', 'Thu', 'Fri'], window('22:00', '06:00'), window('06:00', '22:00')),
          group(['Sat', 'Sun'], ...weekend),
        ),
      );
    expect(await windows(window('22:00', '06:00'), window('05:58', '22:00'))).toEqual([
      `VAL003 ${HOURS}/0: ${LATE} 05:58 to 06:00`,
    ]);
    expect(await week(window('06:00', '06:00'))).toEqual([]);
    expect(await week(window('00:00', '00:00'))).toEqual([
      `VAL003 ${HOURS}/0: ${LATE} 00:00 to 06:00`,
      `VAL003 ${HOURS}: has no rate from 00:00 to 06:00`,
    ]);
  });

  it('are checked on the days that occur, also on 1 March after both ends of February', async () => {
    const until = (validTo: string) => ({
      ...tariffWith(
        { ...entry(['Feb'], group(['All'], window('00:00', '23:00'), window('23:00', '01:00'))), dates: [29] },
        entry(['All'], always),
      ),
      validTo: at(validTo),
    });
    expect(await violationsOf(until('2028-03-01T00:00:00Z'))).toEqual([]);
    expect(await violationsOf(until('2028-03-01T00:01:00Z'))).toEqual([
      `VAL003 ${HOURS}/1: runs past midnight into windows of the next day from 00:00 to 01:00`,
    ]);
  });

  it('must not leave a gap in a static tariff, but may in a dynamic one', async () => {
    const gap = [window('00:30', '02:00'), window('05:30', '23:00')] as const;
    expect(await windows(...gap)).toEqual([
      `VAL003 ${HOURS}: has no rate from 00:00 to 00:30, 02:00 to 05:30, 23:00 to 24:00`,
    ]);
    const dynamic = tariffWith(entry(['All'], group(['All'], ...gap)));
    dynamic.tariffType = 'dynamic';
    expect(await violationsOf(dynamic)).toEqual([]);
  });
});

describe('Tiers', () => {
  const RATE = 'rates/0/daysAndHours/0/hours/0/rate';
  const tiers = (...amounts: RateTier['toKwh'][]) => {
    const rate = amounts.map((toKwh) => ({ unitPrice: '0.25', toKwh }) as RateTier);
    return tree(entry(['All'], group(['All'], { ...aroundTheClock('0.25'), rate })));
  };
  const MORE = 'must be more than that of the tiers before';

  it('must ascend to an unbounded one', async () => {
    expect(await tiers(null)).toEqual([]);
    expect(await tiers(undefined)).toEqual([]);
    expect(await tiers('0.000001', '2', '10', '10.5', '999999999.999999', null)).toEqual([]);
  });

  it('are compared as numbers, not as texts', async () => {
    expect(await tiers('10', '9', null)).toEqual([`VAL003 ${RATE}/1/toKwh: ${MORE}`]);
    expect(await tiers('10', '10.0', '9', '11', null)).toEqual(
      [1, 2].map((each) => `VAL003 ${RATE}/${each}/toKwh: ${MORE}`),
    );
    expect(await tiers('10', '9', '9.5', null)).toEqual([1, 2].map((each) => `VAL003 ${RATE}/${each}/toKwh: ${MORE}`));
    expect(await tiers('0', null)).toEqual([`VAL003 ${RATE}/0/toKwh: must be more than 0`]);
  });

  it('must be unbounded at the end only', async () => {
    expect(await tiers('10')).toEqual([`VAL003 ${RATE}/0/toKwh: must be null: the last tier is unbounded`]);
    expect(await tiers(null, '10', null)).toEqual([
      `VAL003 ${RATE}/0/toKwh: is required: only the last tier is unbounded`,
    ]);
  });

  it.each(['-1', '1e3', '1.', '.5', '1.0000001', '1234567890', 'x', ''])(
    'must not have an amount such as %j',
    async (amount) => {
      expect(await tiers(amount, null)).toEqual([`VAL001 ${RATE}/0/toKwh: must match ^\\d{1,9}(\\.\\d{1,6})?$`]);
    },
  );

  it('must number 1 to 20', async () => {
    const amounts = Array.from({ length: 20 }, (_, index) => String(index + 1));
    expect(await tiers(...amounts.slice(1), null)).toEqual([]);
    expect(await tiers(...amounts, null)).toEqual([`VAL003 ${RATE}: must have at most 20 entries`]);
    expect(await tiers()).toEqual([`VAL003 ${RATE}: must have at least one entry`]);
  });
});

describe('An unreachable part', () => {
  const REST = 'is never reached: earlier entries match all its days';

  it('is an entry all of whose days earlier entries cover, alone or together', async () => {
    expect(await tree(entry(['All'], always), entry(['Dec'], always))).toEqual([`VAL003 rates/1: ${REST}`]);
    expect(await tree(entry(['Dec'], always), entry(['All'], always))).toEqual([]);
    const early = { ...entry(['Feb'], always), dates: Array.from({ length: 15 }, (_, index) => index + 1) };
    const late = { ...entry(['All'], always), dates: Array.from({ length: 16 }, (_, index) => index + 16) };
    const february = (dates: number[]) => ({ ...entry(['Feb'], always), dates });
    expect(await tree(early, late, february([3, 29]), entry(['All'], always))).toEqual([`VAL003 rates/2: ${REST}`]);
  });

  it('is a days group all of whose days earlier groups cover', async () => {
    const at1 = 'VAL003 rates/0/daysAndHours';
    const shadowed = 'is never reached: earlier groups match all its days';
    const weekend = group(['Sat', 'Sun'], aroundTheClock('0.10'));
    expect(await tree(entry(['All'], always, weekend))).toEqual([`${at1}/1: ${shadowed}`]);
    const saturday = group(['Sat'], aroundTheClock('0.10'));
    expect(await tree(entry(['All'], weekend, saturday, always))).toEqual([`${at1}/1: ${shadowed}`]);
    expect(await tree(entry(['All'], saturday, weekend, always))).toEqual([]);
  });
});

describe('Gaps in a static tariff', () => {
  const weekdays = group(['Mon', 'Tue', 'Wed', 'Thu', 'Fri'], aroundTheClock('0.30'));
  const GROUPS = 'VAL003 rates/0/daysAndHours';

  it('are reported as days of the year, days of the week, and minutes, each at its path', async () => {
    const some = { ...entry(['Jan', 'Feb', 'Mar'], weekdays, group(['Sat'], window('00:00', '12:00'))), dates: null };
    const short = { ...entry(['Apr'], always), dates: [1, 2, 3, 5, 30] };
    const rest = entry(['May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov'], always);
    expect(await tree(some, short, rest)).toEqual([
      'VAL003 rates: has no entry for 4 Apr, 6 to 29 Apr, 1 to 31 Dec',
      `${GROUPS}: has no days group for Sun`,
      `${GROUPS}/1/hours: has no rate from 12:00 to 24:00`,
    ]);
  });

  it('are not filled by later entries', async () => {
    expect(await tree(entry(['Jan'], weekdays), entry(['All'], always))).toEqual([
      `${GROUPS}: has no days group for Sat, Sun`,
    ]);
  });

  it('are found on 29 February, too', async () => {
    const dates = Array.from({ length: 28 }, (_, index) => index + 1);
    const others = entry(['Jan', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'], always);
    const until = (validTo: string | null) => {
      const tariff = tariffWith({ ...entry(['Feb'], always), dates }, others);
      tariff.validTo = validTo === null ? null : at(validTo);
      return violationsOf(tariff);
    };
    const gap = ['VAL003 rates: has no entry for 29 Feb'];
    expect(await until(null)).toEqual(gap);
    expect(await until('2028-02-29T00:00:00Z')).toEqual([]);
    expect(await until('2028-02-29T00:00:00.001Z')).toEqual(gap);
  });

  it('count only on local days of the validity of the tariff', async () => {
    const summer = (validFrom: string, validTo: string, entryOf = entry(['Jul'], always)) =>
      violationsOf({ ...tariffWith(entryOf), validFrom: at(validFrom), validTo: at(validTo) });
    expect(await summer('2026-06-30T23:00:00Z', '2026-07-31T23:00:00Z')).toEqual([]);
    expect(await summer('2026-06-30T22:30:00Z', '2026-07-31T23:00:00Z')).toEqual([
      'VAL003 rates: has no entry for 30 Jun',
    ]);
    expect(await summer('2026-06-30T23:00:00Z', '2026-07-31T23:30:00Z')).toEqual([
      'VAL003 rates: has no entry for 1 Aug',
    ]);
    // 6 to 10 July 2026 are Monday to Friday.
    expect(await summer('2026-07-05T23:00:00Z', '2026-07-10T23:00:00Z', entry(['All'], weekdays))).toEqual([]);
    expect(await summer('2026-07-05T23:00:00Z', '2026-07-11T23:00:00Z', entry(['All'], weekdays))).toEqual([
      `${GROUPS}: has no days group for Sat`,
    ]);
  });

  it('of a day on which the clock changes are gaps of its whole table', async () => {
    // On 29 March 2026 no clock shows 01:00 to 02:00.
    const spring = entry(['All'], group(['Sun'], window('00:00', '01:00'), window('02:00', '00:00')));
    const tariff = {
      ...tariffWith(spring),
      validFrom: at('2026-03-29T00:00:00Z'),
      validTo: at('2026-03-29T23:00:00Z'),
    };
    expect(await violationsOf(tariff)).toEqual([`${GROUPS}/0/hours: has no rate from 01:00 to 02:00`]);
  });

  it('are not reported if there is no valid day', async () => {
    const noon = at('2026-06-01T12:00:00Z');
    const tariff = { ...tariffWith(entry(['Jan'], always)), validFrom: noon, validTo: noon };
    expect(await violationsOf(tariff)).toEqual(['VAL003 validTo: must be after the beginning of its validity']);
  });
});

describe('Hostile trees', () => {
  const many = <Part>(count: number, part: Part): Part[] => Array.from({ length: count }, () => part);
  const most = (count: number) => `must have at most ${count} entries`;

  /** Returns the violations of a tree, and how many elements of its lists the rules read for each that it has. */
  async function readsOf(...rates: TariffScheduleEntry[]) {
    let [elements, reads] = [0, 0];
    const counted = <Part>(part: Part): Part => {
      if (typeof part !== 'object' || part === null) return part;
      const copy = Array.isArray(part)
        ? part.map(counted)
        : Object.entries(part).map(([key, each]) => [key, counted(each)]);
      if (!Array.isArray(part)) return Object.fromEntries(copy) as Part;
      elements += copy.length;
      return new Proxy(copy, {
        get(list, key) {
          if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
          return Reflect.get(list, key) as unknown;
        },
      }) as Part;
    };
    const violations = await violationsOf(tariffWith(...counted(rates)));
    return { violations, readsPerElement: reads / elements };
  }

  it.each<[string, TariffScheduleEntry[], string[]]>([
    [
      'months and dates',
      [{ ...entry(many(170_000, 'Jan'), always), dates: many(200, 31) }],
      [`rates/0/months: ${most(12)}`, `rates/0/dates: ${most(31)}`],
    ],
    ['entries', many(14_000, entry(['All'], always)), [`rates: ${most(366)}`]],
    ['days groups', [entry(['All'], ...many(16_000, always))], [`rates/0/daysAndHours: ${most(7)}`]],
    [
      'days and windows',
      [entry(['All'], group(many(30_000, 'Mon'), ...many(23_000, aroundTheClock('0.25'))))],
      [`rates/0/daysAndHours/0/days: ${most(7)}`, `rates/0/daysAndHours/0/hours: ${most(1_440)}`],
    ],
  ])(
    'of a body of 2 MiB in %s are rejected with each element read at most a few times',
    async (_, rates, violations) => {
      const found = await readsOf(...rates);
      expect(found.violations).toEqual(violations.map((each) => `VAL003 ${each}`));
      expect(found.readsPerElement).toBeLessThan(5);
    },
  );

  const time = (minute: number) =>
    `${String(Math.floor(minute / 60) % 24).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  const minutes = Array.from({ length: 1_440 }, (_, minute) => minute);

  it('with thousands of overlapping windows report only as many overlaps as an error has', async () => {
    const overlapsOf = async (hours: ReturnType<typeof window>[], message: string) => {
      const dated = Array.from({ length: 18 }, (_, index) => ({
        ...entry(['All'], group(['All'], ...hours)),
        dates: [index + 1],
      }));
      return (await tree(...dated, entry(['All'], always))).filter((fault) => fault.includes(message));
    };
    const daily = minutes.map((minute) => window(time(minute), time(minute)));
    expect(await overlapsOf(daily, 'overlaps earlier windows')).toHaveLength(100);
    const overnight = minutes.slice(1).map((minute) => window('23:59', time(minute)));
    expect(await overlapsOf(overnight, 'runs past midnight')).toHaveLength(100);
  });

  it('at the bounds are valid', async () => {
    const windows = minutes.map((start) => window(time(start), time(start + 1)));
    const week = (['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const).map((day) => group([day], ...windows));
    const lengths = {
      Jan: 31,
      Feb: 29,
      Mar: 31,
      Apr: 30,
      May: 31,
      Jun: 30,
      Jul: 31,
      Aug: 31,
      Sep: 30,
      Oct: 31,
      Nov: 30,
      Dec: 31,
    };
    const days = Object.entries(lengths).flatMap(([month, length]) =>
      Array.from({ length }, (_, index) => ({ ...entry([month as keyof typeof lengths], always), dates: [index + 1] })),
    );
    expect(days).toHaveLength(366);
    expect(await tree(...days)).toEqual([]);
    const months = Object.keys(lengths) as (keyof typeof lengths)[];
    expect(
      await tree({ ...entry(months, ...week), dates: Array.from({ length: 31 }, (_, index) => index + 1) }),
    ).toEqual([]);
  });
});
