import { randomInt } from 'node:crypto';
import { relative } from 'node:path';
import fc from 'fast-check';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';

/** Whether the long run is asked for: some thousands of requests of each operation instead of some dozens. */
export const LONG = process.env['TEST_LONG'] === '1';

/** The seed of this run, the same for all its properties; `FC_SEED` repeats a run. */
export const SEED = Number(process.env['FC_SEED'] ?? randomInt(0x7fffffff));

/** How much longer the long run is. */
const LONG_FACTOR = 80;
/** Milliseconds that one property may take, its search for a smallest counterexample included. */
export const PROPERTY_TIME = LONG ? 900_000 : 50_000;
/** Characters of a counterexample that are told: bodies can be large. */
const TOLD = 6_000;

/** Checks a property of generated values; a failure tells seed, counterexample and how to repeat it. */
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
  const value = told(JSON.stringify(counterexample?.[0], tellable, 1));
  throw new Error(
    `failed after ${numRuns} values; again: ${again}\n\n${because}\n\nsmallest counterexample: ${value}`,
    {
      cause: errorInstance,
    },
  );
}

function told(text: string | undefined): string {
  const all = text ?? 'undefined';
  return all.length > TOLD ? `${all.slice(0, TOLD)}… (${all.length} characters)` : all;
}

function tellable(_: string, value: unknown): unknown {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown };
  if (type === 'Buffer' && Array.isArray(data)) return cut(Buffer.from(data as number[]).toString());
  return typeof value === 'string' && value.length > 300
    ? `${value.slice(0, 300)}… (${value.length} characters)`
    : value;
}

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}
