/**
 * Makes each fault of the catalogue in a copy of the repository, runs the tests that should show it, and fails when they stay green:
 * `npm run test:seeded-faults [-- <part of a name>…]`. The report names the test by which each was shown.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SeededFault, placeOf, productSources, seededFaults } from './catalogue';
import { type Copy, repositoryCopy } from './repository-copy';
import { runTests } from './test-run';

async function main(parts: readonly string[]): Promise<void> {
  const faults = seededFaults().filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)));
  if (faults.length === 0) throw new Error(`no fault has ${parts.join(' or ')} in its name`);
  const sources = productSources();
  const copy = repositoryCopy();
  const unseen: string[] = [];
  try {
    for (const [index, fault] of faults.entries()) {
      const began = performance.now();
      const outcome = await outcomeOf(fault, sources, copy);
      if (!outcome.startsWith('red')) unseen.push(`${fault.name}: ${outcome}`);
      const seconds = Math.round((performance.now() - began) / 1000);
      process.stdout.write(`${index + 1} of ${faults.length}  ${fault.name}  ${seconds} s  ${outcome}\n`);
    }
  } finally {
    copy.remove();
  }
  const summary = `${faults.length - unseen.length} of ${faults.length} faults are shown by a test.`;
  process.stdout.write(`${[summary, ...unseen].join('\n')}\n`);
  process.exitCode = unseen.length === 0 ? 0 : 1;
}

async function outcomeOf(fault: SeededFault, sources: ReadonlyMap<string, string>, copy: Copy): Promise<string> {
  try {
    const shownBy = await testThatShows(fault, placeOf(fault, sources), copy);
    return shownBy === undefined ? `GREEN  ${fault.breaks}` : `red  ${shownBy}`;
  } catch (error) {
    return `NOT TRIED  ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The name of the first test that fails by a fault; undefined when all stay green. */
async function testThatShows(fault: SeededFault, place: string, copy: Copy): Promise<string | undefined> {
  const file = join(copy.root, place);
  const source = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    source.replace(fault.text, () => fault.instead),
  );
  try {
    for (const pattern of fault.shown) {
      const failed = await runTests(copy.root, pattern);
      if (failed !== undefined && (await failsAgain(copy.root, pattern))) return `${failed.file}: ${failed.test}`;
    }
    return undefined;
  } finally {
    writeFileSync(file, source);
  }
}

/** Whether it was the fault, and not a machine that is busy: the tests fail again. */
async function failsAgain(root: string, pattern: string): Promise<boolean> {
  return (await runTests(root, pattern)) !== undefined;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
