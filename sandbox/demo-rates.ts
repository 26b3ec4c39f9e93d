/** Prices in pounds, or the prices of tiers, by the time of day from which they apply: `{ '00:30': '0.0950', … }`. */
type PricesOfDay = Readonly<Record<string, string | readonly DemoTier[]>>;

/** A price and the kWh up to which it applies; the last tier has no end. */
interface DemoTier {
  readonly unitPrice: string;
  readonly toKwh?: string;
}

/** Rates in the form of the GraphQL type `TariffInput`. */
export interface DemoScheduleEntry {
  readonly months: readonly string[];
  readonly daysAndHours: readonly { readonly days: readonly string[]; readonly hours: readonly DemoHours[] }[];
}

interface DemoHours {
  readonly validFrom: string;
  readonly validTo: string;
  readonly rate: readonly DemoTier[];
}

/**
 * Returns the prices of a day as time windows. Each ends where the next one starts; the last continues after midnight
 * until the first.
 */
function hoursOf(prices: PricesOfDay): DemoHours[] {
  const starts = Object.keys(prices);
  return Object.entries(prices).map(([from, price], index) => ({
    validFrom: `${from}:00`,
    validTo: `${starts[index + 1] ?? starts[0]}:00`,
    rate: typeof price === 'string' ? [{ unitPrice: price }] : price,
  }));
}

/** Returns the prices of some days of the week. */
export const ofDays = (days: readonly string[], prices: PricesOfDay) => ({ days, hours: hoursOf(prices) });
/** Returns the same prices for every day of the week. */
export const everyDay = (prices: PricesOfDay) => [ofDays(['ALL'], prices)];
/** Returns the same prices for every day of the year. */
export const always = (prices: PricesOfDay): DemoScheduleEntry[] => [
  { months: ['ALL'], daysAndHours: everyDay(prices) },
];

/** Returns the tiers of a day: up to 2 kWh, up to 8 kWh, and the rest. */
export const blocks = (first: string, second: string, third: string): readonly DemoTier[] => [
  { unitPrice: first, toKwh: '2' },
  { unitPrice: second, toKwh: '8' },
  { unitPrice: third },
];

/** Half-hourly market prices of a day in hundredths of a penny, from midnight. */
export const MARKET = {
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

/** Returns half-hourly prices by their time of day. */
export function marketDay(hundredths: readonly number[]): PricesOfDay {
  return Object.fromEntries(
    hundredths.map((each, index) => [
      `${String(Math.floor(index / 2)).padStart(2, '0')}:${index % 2 === 0 ? '00' : '30'}`,
      `0.${String(each).padStart(4, '0')}`,
    ]),
  );
}
