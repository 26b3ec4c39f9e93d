import { type DemoScheduleEntry, MARKET, always, blocks, everyDay, marketDay, ofDays } from './demo-rates';

/** A fictional tariff. */
export interface DemoTariffPlan {
  /** Determines the tariff's identifier, together with the supplier's. */
  readonly key: string;
  /** Key of the tariff of the same supplier that this one replaces. */
  readonly replaces?: string;
  /** Fields of the first version that the second version corrects. */
  readonly before?: Readonly<Record<string, unknown>>;
  /** Fields of `TariffInput`. */
  readonly input: Readonly<Record<string, unknown>> & { readonly rates: readonly DemoScheduleEntry[] };
}

const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI'];
const WEEKEND = ['SAT', 'SUN'];
const WINTER = ['NOV', 'DEC', 'JAN', 'FEB'];

/** Default fields of a tariff. */
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

/** Tariffs of the supplier at which the demo customers sign in. The first one is assigned to them. */
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
      description: 'One price at every hour. Customers of Steady 2025 move to it in April 2026.',
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
      comments: 'Prices are without VAT. The night is from 00:30 to 07:30 in local time, all year.',
      ...{ vatIncluded: false, standingCharge: '0.46500' },
      rates: always({ '00:30': '0.12350', '07:30': '0.27900' }),
    },
  },
  {
    key: 'weekday-peak',
    input: {
      ...{ ...HOUSEHOLD, name: 'Tidewater Weekday Peak', percentageGreen: 60 },
      description: 'Expensive in the early evening of working days, cheap at night and at the weekend.',
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
      description: 'Pays for exported solar power, most in the evening.',
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

/** Tariffs of the other supplier. */
export const OTHER_TARIFFS: readonly DemoTariffPlan[] = [
  {
    key: 'seasons',
    input: {
      ...{ ...HOUSEHOLD, name: 'Fenland Seasons', ldzRegion: 'EM', percentageGreen: 72.5 },
      description: 'More expensive in winter than in summer, and most expensive on winter evenings.',
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
      description: 'The first kWh of a day are the cheapest, by day and by night.',
      ...{ standingCharge: '0.00', vatRate: null },
      rates: always({ '07:00': blocks('0.1900', '0.2600', '0.3300'), '23:00': blocks('0.1100', '0.1500', '0.2000') }),
    },
  },
  {
    key: 'half-hourly',
    input: {
      ...{ ...HOUSEHOLD, name: 'Fenland Half-Hourly', tariffType: 'DYNAMIC', ldzRegion: 'SE', percentageGreen: 100 },
      description: 'A market price for each half-hour. Sundays have no price yet.',
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
      description: 'For businesses that work by day.',
      ...{ ldzRegion: 'SC', vatIncluded: false, vatRate: 20, standingCharge: '0.8800' },
      rates: always({ '00:00': '0.20100', '07:00': '0.22750', '19:00': '0.20100' }),
    },
  },
];
