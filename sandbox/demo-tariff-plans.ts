/** Times of day from which on a price holds, with the price in pounds, or the prices of its tiers: `{ '00:30': '0.0950', … }`. */
type PricesOfDay = Readonly<Record<string, string | readonly DemoTier[]>>;

/** A price, and up to how many kWh it holds; the last has no end. */
interface DemoTier {
  readonly unitPrice: string;
  readonly toKwh?: string;
}

/** Rates as `TariffInput` of the graph has them. */
interface DemoScheduleEntry {
  readonly months: readonly string[];
  readonly daysAndHours: readonly { readonly days: readonly string[]; readonly hours: readonly DemoHours[] }[];
}

interface DemoHours {
  readonly validFrom: string;
  readonly validTo: string;
  readonly rate: readonly DemoTier[];
}

/** A fictional tariff: what `TariffInput` of the graph says of it, without what is the same for most. */
export interface DemoTariffPlan {
  /** What makes its identifier, with the supplier's. */
  readonly key: string;
  /** The tariff of the same supplier that it replaces. */
  readonly replaces?: string;
  /** What its first version said otherwise, before it was corrected. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly input: Readonly<Record<string, unknown>> & { readonly rates: readonly DemoScheduleEntry[] };
}

const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI'];
const WEEKEND = ['SAT', 'SUN'];
const WINTER = ['NOV', 'DEC', 'JAN', 'FEB'];

/** The prices of a day as windows: each until the next begins, the last past midnight until the first. */
function hoursOf(prices: PricesOfDay): DemoHours[] {
  const starts = Object.keys(prices);
  return Object.entries(prices).map(([from, price], index) => ({
    validFrom: `${from}:00`,
    validTo: `${starts[index + 1] ?? starts[0]}:00`,
    rate: typeof price === 'string' ? [{ unitPrice: price }] : price,
  }));
}

const ofDays = (days: readonly string[], prices: PricesOfDay) => ({ days, hours: hoursOf(prices) });
const everyDay = (prices: PricesOfDay) => [ofDays(['ALL'], prices)];
const always = (prices: PricesOfDay): DemoScheduleEntry[] => [{ months: ['ALL'], daysAndHours: everyDay(prices) }];

/** What a tariff for a household is, unless it says otherwise. */
const HOUSEHOLD = {
  tariffType: 'STATIC',
  fuelType: 'ELECTRICITY',
  energyFlow: 'IMPORT',
  paymentMethod: 'DIRECT_DEBIT',
  meterType: 'SMART',
  customerType: 'RESIDENTIAL',
  ldzRegion: 'EA',
  standingCharge: '0.4810',
  vatIncluded: true,
  vatRate: 5,
  validFrom: '2025-01-01T00:00:00.000Z',
  sellableFrom: '2024-12-01T00:00:00.000Z',
};

/** Of the supplier at which the demo customers sign in: the first of them is theirs. */
export const CUSTOMERS_TARIFFS: readonly [DemoTariffPlan, ...DemoTariffPlan[]] = [
  {
    key: 'steady-2025',
    input: {
      ...{ ...HOUSEHOLD, name: 'Tidewater Steady 2025', meterType: 'SINGLE_RATE', percentageGreen: 40 },
      description: 'One price at every hour. It is replaced by Steady 2026.',
      ...{ validFrom: '2025-03-31T23:00:00.000Z', sellableFrom: null, sellableTo: '2026-02-28T23:59:59.000Z' },
      rates: always({ '00:00': '0.2570' }),
    },
  },
  {
    key: 'steady-2026',
    replaces: 'steady-2025',
    input: {
      ...{ ...HOUSEHOLD, name: 'Tidewater Steady 2026', meterType: 'SINGLE_RATE', percentageGreen: 45 },
      description: 'One price at every hour. Customers of Steady 2025 come to it in April 2026.',
      ...{ validFrom: '2026-03-31T23:00:00.000Z', sellableFrom: '2026-03-01T00:00:00.000Z' },
      rates: always({ '00:00': '0.2445' }),
    },
  },
  {
    key: 'night-seven',
    before: { name: 'Tidewater Night 7', description: null },
    input: {
      ...{ ...HOUSEHOLD, name: 'Tidewater Night Seven', meterType: 'MULTI_RATE', percentageGreen: 40 },
      description: 'Seven cheap hours in every night (Economy 7), for storage heaters and cars.',
      comments: 'Prices are told without VAT. The night is from 00:30 to 07:30 in local time, all year.',
      ...{ vatIncluded: false, standingCharge: '0.46500' },
      rates: always({ '00:30': '0.12350', '07:30': '0.27900' }),
    },
  },
  {
    key: 'weekday-peak',
    input: {
      ...{ ...HOUSEHOLD, name: 'Tidewater Weekday Peak', percentageGreen: 60 },
      description: 'Dear in the early evening of working days, cheap by night and at the weekend.',
      rates: [
        {
          months: ['ALL'],
          daysAndHours: [
            ofDays(WEEKDAYS, { '00:00': '0.1420', '06:00': '0.2310', '16:00': '0.3890', '19:00': '0.2310' }),
            ofDays(WEEKEND, { '00:00': '0.1420', '08:00': '0.1980' }),
          ],
        },
      ],
    },
  },
  {
    key: 'sunback',
    input: {
      ...{ ...HOUSEHOLD, name: 'Tidewater Sunback', energyFlow: 'EXPORT', percentageGreen: 100 },
      description: 'What the roof gives back is paid best when the evening needs it.',
      ...{ standingCharge: '0.00', vatRate: 0 },
      rates: always({ '00:00': '0.0650', '07:00': '0.0980', '16:00': '0.2240', '20:00': '0.0980' }),
    },
  },
  {
    key: 'hearth',
    input: {
      ...{ ...HOUSEHOLD, name: 'Tidewater Hearth', fuelType: 'GAS', meterType: 'SINGLE_RATE' },
      ...{ standingCharge: '0.3160', rates: always({ '00:00': '0.0624' }) },
      description: 'Gas at one price.',
    },
  },
];

/** Half-hourly prices of a day in hundredths of a penny, from midnight, as a market made them. */
const MARKET = {
  weekday: [
    ...[1284, 1216, 1168, 1105, 1052, 1010, 988, 1004, 1061, 1137, 1290, 1468, 1702, 1956, 2184, 2260],
    ...[2198, 2075, 1920, 1811, 1704, 1598, 1507, 1466, 1402, 1377, 1391, 1458, 1570, 1733, 1988, 2394],
    ...[2871, 3260, 3548, 3607, 3492, 3180, 2746, 2418, 2190, 2037, 1903, 1790, 1655, 1531, 1427, 1340],
  ],
  weekend: [
    ...[1190, 1132, 1074, 1020, 985, 951, 930, 922, 934, 960, 1001, 1060, 1142, 1238, 1341, 1427],
    ...[1466, 1430, 1352, 1233, 1098, 952, 803, 676, 571, 498, 462, 489, 566, 702, 905, 1188],
    ...[1544, 1897, 2166, 2283, 2248, 2102, 1930, 1777, 1650, 1549, 1468, 1402, 1351, 1304, 1260, 1222],
  ],
} as const;

/** Prices that a market made, each from its half-hour on; the last ends at midnight. */
function marketDay(hundredths: readonly number[]): PricesOfDay {
  return Object.fromEntries(
    hundredths.map((each, index) => [
      `${String(Math.floor(index / 2)).padStart(2, '0')}:${index % 2 === 0 ? '00' : '30'}`,
      `0.${String(each).padStart(4, '0')}`,
    ]),
  );
}

const blocks = (first: string, second: string, third: string): readonly DemoTier[] => [
  { unitPrice: first, toKwh: '2' },
  { unitPrice: second, toKwh: '8' },
  { unitPrice: third },
];

/** Of another supplier. */
export const OTHER_TARIFFS: readonly DemoTariffPlan[] = [
  {
    key: 'seasons',
    input: {
      ...{ ...HOUSEHOLD, name: 'Fenland Seasons', ldzRegion: 'EM', percentageGreen: 72.5 },
      description: 'Dearer in winter than in summer, and dearest in the evenings of winter.',
      rates: [
        {
          months: WINTER,
          daysAndHours: everyDay({ '00:00': '0.1790', '06:00': '0.2680', '16:30': '0.4120', '20:00': '0.2680' }),
        },
        {
          months: ['ALL'],
          daysAndHours: everyDay({ '00:00': '0.1490', '06:00': '0.2090', '11:00': '0.1190', '16:00': '0.2390' }),
        },
      ],
    },
  },
  {
    key: 'blocks',
    input: {
      ...{
        ...HOUSEHOLD,
        name: 'Fenland Blocks',
        paymentMethod: 'PREPAYMENT',
        meterType: 'PREPAYMENT',
        ldzRegion: 'WN',
      },
      description: 'The first kWh of a day cost least, by day and by night.',
      ...{ standingCharge: '0.00', vatRate: null },
      rates: always({ '07:00': blocks('0.1900', '0.2600', '0.3300'), '23:00': blocks('0.1100', '0.1500', '0.2000') }),
    },
  },
  {
    key: 'half-hourly',
    input: {
      ...{ ...HOUSEHOLD, name: 'Fenland Half-Hourly', tariffType: 'DYNAMIC', ldzRegion: 'SE', percentageGreen: 100 },
      description: 'A price for each half-hour, as the market makes it. Sundays are not priced yet.',
      vatIncluded: false,
      rates: [
        {
          months: ['ALL'],
          daysAndHours: [ofDays(WEEKDAYS, marketDay(MARKET.weekday)), ofDays(['SAT'], marketDay(MARKET.weekend))],
        },
      ],
    },
  },
  {
    key: 'workshop',
    input: {
      ...{ ...HOUSEHOLD, name: 'Fenland Workshop', customerType: 'BUSINESS', paymentMethod: 'NON_DIRECT_DEBIT' },
      description: 'For those who work by day.',
      ...{ ldzRegion: 'SC', vatIncluded: false, vatRate: 20, standingCharge: '0.8800' },
      rates: always({ '00:00': '0.20100', '07:00': '0.22750', '19:00': '0.20100' }),
    },
  },
];
