import { halfHourPrices } from '../../../subgraphs/tariffs/rates/prices';
import { aroundTheClock, entry, group, published, tariffWith, window } from '../../support/tariff-examples';
import { type Bench, bareSide, comparison, comparisons, productSide } from '../bench-context';
import type { BenchRegister, BenchFixture } from '../bench-fixture';
import { LIMITS } from '../limits';
import type { Load } from '../load';
import { median } from '../rounds';
import { expectSameResponse } from '../same-response';
import { type TariffRows, fillTariffs } from '../tariff-rows';
import { type Measurement, rounded } from '../verdict';

const TARIFFS = 100_000;

/**
 * GET /v1/tariff/{mpid} with three filters over 100,000 tariffs, and a page of 100 whole tariffs, against the bare
 * server; the middle and the last page; prices of a month.
 */
export const tariffs: Bench = async (context) => {
  const { fixture } = context;
  const register = await context.register();
  const rows = await fillTariffs(register.databaseUrl, context.scaled(TARIFFS / 1_000) * 1_000);
  const load: Load = {
    method: 'GET',
    path: '/v1/tariff/{key}?fuel_type=electricity&ldz_region=EA&payment_method=direct_debit',
    keys: rows.mpids,
  };
  const sides = [productSide(fixture, register, load), bareSide(fixture, register, load)] as const;
  await expectSameResponse(...sides);
  const measurements = await comparisons('tariffs', [...sides], context.seconds);
  const whole = await wholePage(fixture, register, rows, context.seconds);
  return [...measurements, whole, ...(await deepPages(fixture, register, rows, context.seconds)), pricesOfMonth()];
};

/** A page of 100 tariffs with their rates, about 130 KB. */
async function wholePage(
  fixture: BenchFixture,
  register: BenchRegister,
  { mpids }: TariffRows,
  seconds: number,
): Promise<Measurement> {
  const load: Load = { method: 'GET', path: '/v1/tariff/{key}?detail=full&limit=100', keys: mpids };
  const sides = [productSide(fixture, register, load), bareSide(fixture, register, load)] as const;
  await expectSameResponse(...sides);
  return comparison('tariffs-whole', sides, seconds);
}

/** The page in the middle and the last page of the supplier with half of all tariffs, against its first page. */
async function deepPages(
  fixture: BenchFixture,
  register: BenchRegister,
  { large }: TariffRows,
  seconds: number,
): Promise<Measurement[]> {
  const page = (name: string, offset: number) => {
    const load: Load = { method: 'GET', path: `/v1/tariff/{key}?offset=${offset}`, keys: [large.mpid] };
    return { ...productSide(fixture, register, load), name };
  };
  const first = page('first-page', 0);
  const middle = page('middle-page', Math.floor(large.tariffs / 2));
  return [
    await comparison('tariffs-middle', [middle, first], seconds),
    await comparison('tariffs-deepest', [page('last-page', large.tariffs - 20), first], seconds),
  ];
}

const ROUNDS = 51;
const WARM_UPS = 20;

/**
 * Computes the prices of March 2027, including the 23 hours of the 28th, of a tariff with seasons, weekends, windows
 * and tiers.
 */
function pricesOfMonth(): Measurement {
  const tiered = { ...window('16:00', '19:00', '0.41'), rate: TIERS };
  const tariff = published(
    tariffWith(
      entry(['Jan', 'Feb', 'Mar'], group(['Sat', 'Sun'], aroundTheClock('0.21')), group(['All'], ...DAY, tiered)),
      entry(['All'], group(['All'], aroundTheClock('0.19'))),
    ),
  );
  const [from, to] = [new Date('2027-03-01T00:00:00Z'), new Date('2027-03-31T23:00:00Z')];
  const rounds = Array.from({ length: WARM_UPS + ROUNDS }, () => ({
    product: processorMs(() => [...halfHourPrices(tariff, from, to)].length),
    bare: processorMs(() => localTimes(from, to)),
  })).slice(WARM_UPS);
  const [product, bare] = [median(rounds.map((round) => round.product)), median(rounds.map((round) => round.bare))];
  return {
    name: 'tariffs-prices-month',
    ratio: bare / product,
    baseline: 'local-times-by-intl',
    limit: LIMITS['tariffs-prices-month'],
    beside: { 'half-hours': HALF_HOURS, 'cpu-ms': `${rounded(product)}:${rounded(bare)}` },
  };
}

/** Number of half-hours in March 2027. */
const HALF_HOURS = 1_486;

function processorMs(countHalfHours: () => number): number {
  const begin = process.cpuUsage();
  const count = countHalfHours();
  const { user, system } = process.cpuUsage(begin);
  if (count !== HALF_HOURS) throw new Error(`${count} half-hours in March 2027`);
  return (user + system) / 1_000;
}

/** Computes the local time of each half-hour: the minimum cost of pricing them one by one. */
function localTimes(from: Date, to: Date): number {
  let count = 0;
  for (let at = from.getTime(); at < to.getTime(); at += 1_800_000)
    count += LONDON.formatToParts(at).length > 0 ? 1 : 0;
  return count;
}

const LONDON = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/London',
  ...({ month: 'short', weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const),
});

const TIERS = [
  { unitPrice: '0.41', toKwh: '2' },
  { unitPrice: '0.45', toKwh: null },
];
const DAY = [window('19:00', '07:00', '0.18'), window('07:00', '16:00', '0.29')];
