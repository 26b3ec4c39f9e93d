import { randomInt } from 'node:crypto';
import { relative } from 'node:path';
import fc from 'fast-check';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';

/** Whether this is the long run: thousands of requests for each operation instead of dozens. */
export const LONG = process.env['TEST_LONG'] === '1';

/** The seed of this run, the same for all its properties; `FC_SEED` repeats a run. */
export const SEED = Number(process.env['FC_SEED'] ?? randomInt(0x7fffffff));

/** Factor by which the long run is longer. */
const LONG_FACTOR = 80;
/** Maximum milliseconds of one property, including its search for a smallest counterexample. */
export const PROPERTY_TIME = LONG ? 900_000 : 50_000;
/** Maximum printed characters of a counterexample: bodies can be large. */
const MAX_PRINTED = 6_000;

/**
 * Checks a property of generated values; on failure it reports the seed, the counterexample and how to repeat the run.
 */
export async function holdsForAll<Value>(
  values: fc.Arbitrary<Value>,
  runs: number,
  property: (value: Value) => Promise<void> | void,
): Promise<void> {
  const checked = fc.asyncProperty(values, async (value) => property(value));
  const { failed, numRuns, counterexample, errorInstance } = await fc.check(checked, {
    seed: SEED,
    numRuns: LONG ? runs * LONG_FACTOR : runs,
    interruptAfterTimeLimit: PROPERTY_TIME,
  });
  if (!failed) return;
  const { testPath = '', currentTestName } = expect.getState();
  const again = `FC_SEED=${SEED} npx jest ${relative(REPOSITORY_ROOT, testPath)} -t ${JSON.stringify(currentTestName)}`;
  const because = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const value = shortened(JSON.stringify(counterexample?.[0], printable, 1));
  throw new Error(
    `failed after ${numRuns} values; again: ${again}\n\n${because}\n\nsmallest counterexample: ${value}`,
    {
      cause: errorInstance,
    },
  );
}

function shortened(text: string | undefined): string {
  const all = text ?? 'undefined';
  return all.length > MAX_PRINTED ? `${all.slice(0, MAX_PRINTED)}… (${all.length} characters)` : all;
}

function printable(_: string, value: unknown): unknown {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown };
  if (type === 'Buffer' && Array.isArray(data)) return cut(Buffer.from(data as number[]).toString());
  return typeof value === 'string' && value.length > 300
    ? `${value.slice(0, 300)}… (${value.length} characters)`
    : value;
}

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}
