/**
 * Makes each fault of the catalogue in a copy of the repository, runs the tests that should show it, and fails when they stay green:
 * `npm run test:seeded-faults`, with `-- <part of a name>…` for some of them, or `-- 2/4` for the second of four shares. The report
 * names the test by which each was shown; without the fault, the file of this test is green.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SeededFault, placeOf, productSources, seededFaults } from './catalogue';
import { type Copy, repositoryCopy } from './repository-copy';
import { type FailedTest, patternOfFile, runTests } from './test-run';

/** Copies in which faults are tried at the same time: tests wait often. */
const COPIES = 2;

async function main(words: readonly string[]): Promise<void> {
  const faults = selectedFaults(words);
  const sources = productSources();
  const unseen: string[] = [];
  let ended = 0;
  const waiting = [...faults];
  async function seedInOneCopy(): Promise<void> {
    const copy = repositoryCopy();
    try {
      for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
        const began = performance.now();
        const outcome = await outcomeOf(fault, sources, copy);
        if (!outcome.startsWith('red')) unseen.push(`${fault.name}: ${outcome}`);
        const seconds = Math.round((performance.now() - began) / 1000);
        process.stdout.write(`${(ended += 1)} of ${faults.length}  ${fault.name}  ${seconds} s  ${outcome}\n`);
      }
    } finally {
      copy.remove();
    }
  }
  await Promise.all(Array.from({ length: Math.min(COPIES, faults.length) }, seedInOneCopy));
  const summary = `${faults.length - unseen.length} of ${faults.length} faults are shown by a test.`;
  process.stdout.write(`${[summary, ...unseen].join('\n')}\n`);
  process.exitCode = unseen.length === 0 ? 0 : 1;
}

/** Returns the faults of a command line: those with one of its words in their name, or one share of all: `2/4`. */
function selectedFaults(words: readonly string[]): SeededFault[] {
  const [, share, shares] = /^(\d+)\/(\d+)$/.exec(words[0] ?? '') ?? [];
  const faults = seededFaults().filter(({ name }, index) =>
    shares === undefined
      ? words.length === 0 || words.some((word) => name.includes(word))
      : index % Number(shares) === Number(share) - 1,
  );
  if (faults.length === 0) throw new Error(`no fault is selected by ${words.join(' ')}`);
  return faults;
}

async function outcomeOf(fault: SeededFault, sources: ReadonlyMap<string, string>, copy: Copy): Promise<string> {
  try {
    const shownBy = await testThatShows(fault, placeOf(fault, sources), copy);
    return shownBy === undefined ? `GREEN  ${fault.breaks}` : `red  ${shownBy}`;
  } catch (error) {
    return `NOT TRIED  ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * The name of the first test that fails by a fault; undefined when all stay green. Throws if its file also fails without the fault: then
 * the failure shows nothing.
 */
async function testThatShows(fault: SeededFault, place: string, copy: Copy): Promise<string | undefined> {
  for (const pattern of fault.shown) {
    const failed = await withFault(fault, join(copy.root, place), () => failureOf(copy.root, pattern));
    if (failed === undefined) continue;
    const without = await runTests(copy.root, patternOfFile(failed.file, pattern));
    if (without !== undefined) throw new Error(`${failed.file} also fails without the fault: ${without.test}`);
    return `${failed.file}: ${failed.test}`;
  }
  return undefined;
}

/** Runs work while a file has a fault. */
async function withFault<Result>(fault: SeededFault, file: string, work: () => Promise<Result>): Promise<Result> {
  const source = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    source.replace(fault.text, () => fault.instead),
  );
  try {
    return await work();
  } finally {
    writeFileSync(file, source);
  }
}

/** The first test of a pattern that fails; one that may have failed on a busy machine must fail again. */
async function failureOf(root: string, pattern: string): Promise<FailedTest | undefined> {
  const failed = await runTests(root, pattern);
  return failed?.mayBeBusy === true ? runTests(root, pattern) : failed;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
