import { type Bench, type BenchContext, productSide } from '../bench-context';
import type { BenchRegister } from '../bench-fixture';
import { LIMITS, ROUNDS } from '../limits';
import type { Load } from '../load';
import { goesOn, progress } from '../progress';
import { type Figures, interleaved, median, warmUp } from '../rounds';
import { type ScaleStatements, openScaleStatements } from '../scale-statements';
import { type Measurement, compared, rounded } from '../verdict';
import { listLoad } from './list';
import { registrationLoad } from './register';
import { verifyLoad } from './verify';

/** Number of records in the large register unless BENCH_RECORDS is set; 10,000,000 in the long form. */
const USUAL_RECORDS = 1_000_000;
const LEAST_RECORDS = 100_000;
const SHARE = 10;
const REPEATS_PER_ROUND = 30;

/** The two registers that are compared. */
interface Sizes {
  readonly large: BenchRegister;
  readonly small: BenchRegister;
  readonly records: number;
}

/**
 * Costs that must not grow with the number of records: the product with BENCH_RECORDS records against itself with a
 * tenth of them.
 */
export const scale: Bench = async (context) => {
  const records = wantedRecords();
  const small = await context.fixture.largeRegister(records / SHARE);
  const large = await context.fixture.largeRegister(records);
  const sizes = { large, small, records };
  const requests: Measurement[] = [];
  for (const [name, load] of Object.entries({ verify: verifyLoad, list: listLoad, register: registrationLoad }))
    requests.push(await byRequests(`scale-${name}`, sizes, load, context));
  return [...requests, ...(await byStatements(sizes, context))];
};

function wantedRecords(): number {
  const records = Number(process.env['BENCH_RECORDS'] ?? USUAL_RECORDS);
  if (!Number.isInteger(records) || records < LEAST_RECORDS || records % SHARE > 0)
    throw new Error(`BENCH_RECORDS is a whole number from ${LEAST_RECORDS}, divisible by ${SHARE}`);
  return records;
}

/** Measures processor time per request, at 32 connections. */
async function byRequests(
  name: string,
  { large, small, records }: Sizes,
  load: (register: BenchRegister) => Load,
  { fixture, seconds }: BenchContext,
): Promise<Measurement> {
  const sides = [large, small].map((each) => productSide(fixture, each, load(each)));
  await warmUp(sides, seconds);
  const [product, before] = await interleaved(sides, { connections: 32, rounds: ROUNDS, seconds });
  const baseline = { name: `product-${records / SHARE}-records`, figures: before as Figures };
  const measurement = compared(name, product as Figures, baseline, 32, LIMITS[name]);
  return { ...measurement, beside: { records, ...measurement.beside } };
}

/**
 * Measures statements that no client can repeat separately, or that background tasks run; those that write are rolled
 * back.
 */
async function byStatements({ large, small, records }: Sizes, { scaled }: BenchContext): Promise<Measurement[]> {
  const sides = [await openScaleStatements(large), await openScaleStatements(small)] as const;
  try {
    const measurements: Measurement[] = [];
    for (const name of Object.keys(sides[0].statements)) {
      const [product, before] = await timesOf(name, sides, scaled(REPEATS_PER_ROUND));
      measurements.push({
        name: `scale-${name}`,
        ratio: before / product,
        baseline: `product-${records / SHARE}-records`,
        limit: LIMITS[`scale-${name}`],
        beside: { records, milliseconds: `${rounded(product)}:${rounded(before)}` },
      });
    }
    return measurements;
  } finally {
    for (const side of sides) await side.close();
  }
}

/** Returns the median times of a statement in milliseconds, from interleaved rounds. The first round is a warm-up. */
async function timesOf(
  name: string,
  sides: readonly [ScaleStatements, ScaleStatements],
  repeats: number,
): Promise<[large: number, small: number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, side] of sides.entries()) {
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        const took = await (side.statements[name] as () => Promise<number>)();
        if (round > 0) times[index]?.push(took);
        goesOn(`${name} ${repeat}`);
      }
    }
  }
  const [large, small] = times.map(median) as [number, number];
  progress(`${name}: ${rounded(large)} ms, with a tenth of the records ${rounded(small)} ms`);
  return [large, small];
}
