import { type Bench, benchContext } from './bench-context';
import { events } from './benches/events';
import { federated, federatedAdHoc } from './benches/federated';
import { grid } from './benches/grid';
import { gridRetrieval } from './benches/grid-retrieval';
import { list } from './benches/list';
import { register } from './benches/register';
import { scale } from './benches/scale';
import { start } from './benches/start';
import { subscribers } from './benches/subscribers';
import { tariffs } from './benches/tariffs';
import { verify, verifyBetweenProcesses } from './benches/verify';
import { agent } from './load';
import { type Measurement, isKept, lineOf } from './verdict';

/** READ FIRST: the benches, in the order in which they run. Limits: `limits.ts`. */
const BENCHES: Readonly<Record<string, Bench>> = {
  start,
  verify,
  'verify-processes': verifyBetweenProcesses,
  federated,
  'federated-ad-hoc': federatedAdHoc,
  list,
  register,
  events,
  subscribers,
  grid,
  'grid-retrieval': gridRetrieval,
  tariffs,
};

/** Benches that run only when they are named: this one fills a table with a million records. */
const LONG_BENCHES: Readonly<Record<string, Bench>> = { scale };

/**
 * `npm run bench [name…] [-- --no-verdict]`: measures the product against its baselines in interleaved rounds of BENCH_SECONDS (3). The
 * last lines are `<name> ratio=<number> baseline=<what> …`, one for each measurement. Exit code 1 when a limit is missed.
 * BENCH_NODE_OPTIONS are options of Node for every server that is measured, such as `--cpu-prof`.
 */
async function main(options: readonly string[]): Promise<void> {
  const named = options.filter((option) => !option.startsWith('--'));
  const all = { ...BENCHES, ...LONG_BENCHES };
  const unknown = named.filter((name) => !Object.hasOwn(all, name));
  if (unknown.length > 0) throw new Error(`no bench ${unknown.join(', ')}; there are ${Object.keys(all).join(', ')}`);
  const chosen = Object.entries(named.length === 0 ? BENCHES : all).filter(
    ([name]) => named.length === 0 || named.includes(name),
  );
  const measurements = await run(chosen, Number(process.env['BENCH_SECONDS'] ?? 3));
  console.log('');
  for (const measurement of measurements) console.log(lineOf(measurement));
  if (!options.includes('--no-verdict') && !measurements.every(isKept)) process.exitCode = 1;
}

async function run(benches: readonly (readonly [string, Bench])[], seconds: number): Promise<Measurement[]> {
  const context = benchContext(seconds);
  const measurements: Measurement[] = [];
  try {
    for (const [name, bench] of benches) {
      console.log(`${name}, load by ${agent()} …`);
      const begin = performance.now();
      const found = await bench(context);
      for (const measurement of found) console.log(`  ${lineOf(measurement)}`);
      console.log(`  ${Math.round((performance.now() - begin) / 1000)} s`);
      measurements.push(...found);
    }
  } finally {
    await context.close();
  }
  return measurements;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
