import { type Bench, benchContext } from './bench-context';
import { openBenchFixture } from './bench-fixture';
import { deliveries } from './benches/deliveries';
import { deliveryTables } from './benches/delivery-tables';
import { events } from './benches/events';
import { federated, federatedAdHoc } from './benches/federated';
import { grid } from './benches/grid';
import { gridBase } from './benches/grid-application';
import { gridRetrieval } from './benches/grid-retrieval';
import { list } from './benches/list';
import { pricesBesideVerify } from './benches/prices-beside-verify';
import { register } from './benches/register';
import { replicas } from './benches/replicas';
import { scale } from './benches/scale';
import { start } from './benches/start';
import { subscribers } from './benches/subscribers';
import { tariffs } from './benches/tariffs';
import { verify, verifyBetweenProcesses } from './benches/verify';
import { agent } from './load';
import { machineLine } from './machine';
import { watched } from './progress';
import { stopServers } from './server-processes';
import { type Outcome, isBroken, lineOf, summaryOf } from './verdict';

/** READ FIRST: the benches, in the order of a full run. Limits: `limits.ts`. */
const BENCHES: Readonly<Record<string, Bench>> = {
  start,
  verify,
  'verify-processes': verifyBetweenProcesses,
  replicas,
  federated,
  'federated-ad-hoc': federatedAdHoc,
  list,
  register,
  events,
  deliveries,
  'delivery-tables': deliveryTables,
  subscribers,
  grid: async (context) => [...(await grid(context)), ...(await gridBase(context))],
  'grid-retrieval': gridRetrieval,
  tariffs,
  'prices-beside-verify': pricesBesideVerify,
};

/** Benches that run only when they are named: `scale` makes BENCH_RECORDS records (1,000,000) and a tenth of them, `grid-base` is part of `grid`. */
const NAMED_BENCHES: Readonly<Record<string, Bench>> = { scale, 'grid-base': gridBase };

/** Seconds per round, whole ones for wrk; a longer round would count as a bench without progress. */
const SECONDS = { least: 1, usual: 3, most: 20 } as const;

/**
 * `npm run bench [name…] [-- --no-verdict]`: measures the product against its baselines in interleaved rounds of
 * BENCH_SECONDS (3; fewer for a quick trial), in the order of the names. Each bench has its own register; one that
 * fails, or makes no progress for a minute, is stopped, and the next one starts. Prints a table of verdicts at the end;
 * the last lines are `<name> ratio=<number> baseline=<what> …`, one for each measurement. Exits with code 1 if a bench
 * failed or missed a limit; with `--no-verdict` only if one failed. BENCH_NODE_OPTIONS are Node options for every
 * measured server, such as `--cpu-prof`.
 */
async function main(options: readonly string[]): Promise<void> {
  const named = options.filter((option) => !option.startsWith('--'));
  const all = { ...BENCHES, ...NAMED_BENCHES };
  const unknown = named.filter((name) => !Object.hasOwn(all, name));
  if (unknown.length > 0) throw new Error(`no bench ${unknown.join(', ')}; there are ${Object.keys(all).join(', ')}`);
  const seconds = Number(process.env['BENCH_SECONDS'] ?? SECONDS.usual);
  if (!Number.isInteger(seconds) || seconds < SECONDS.least || seconds > SECONDS.most)
    throw new Error(`BENCH_SECONDS is a whole number from ${SECONDS.least} to ${SECONDS.most}`);
  console.log(machineLine());
  const chosen =
    named.length === 0 ? Object.entries(BENCHES) : named.map((name) => [name, all[name] as Bench] as const);
  const outcomes = await run(chosen, seconds);
  console.log(`\n${summaryOf(outcomes)}\n`);
  for (const measurement of outcomes.flatMap(({ measurements }) => measurements)) console.log(lineOf(measurement));
  const isJudged = !options.includes('--no-verdict');
  process.exitCode = outcomes.some(({ failure }) => failure) || (isJudged && outcomes.some(isBroken)) ? 1 : 0;
}

async function run(benches: readonly (readonly [string, Bench])[], seconds: number): Promise<Outcome[]> {
  const fixture = await openBenchFixture();
  const outcomes: Outcome[] = [];
  const interrupted = () =>
    void stopServers()
      .then(fixture.close)
      .finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupted);
  try {
    for (const [index, [name, bench]] of benches.entries()) {
      console.log(`${name} (${index + 1} of ${benches.length}), load by ${agent()} …`);
      outcomes.push(await outcomeOf(name, bench, benchContext(fixture, seconds)));
    }
  } finally {
    await fixture.close();
  }
  return outcomes;
}

async function outcomeOf(name: string, bench: Bench, context: ReturnType<typeof benchContext>): Promise<Outcome> {
  const begin = performance.now();
  try {
    const measurements = await watched(() => bench(context));
    for (const measurement of measurements) console.log(`  ${lineOf(measurement)}`);
    return { name, measurements };
  } catch (error) {
    console.error(`  ${name} failed:`, error);
    return { name, measurements: [], failure: error instanceof Error ? error.message : String(error) };
  } finally {
    await stopServers(); // including those of a bench without progress
    await context.close();
    console.log(`  ${Math.round((performance.now() - begin) / 1000)} s`);
  }
}

main(process.argv.slice(2))
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(() => process.exit()); // a stopped bench may leave timers and connections
