import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** A test that failed, and the path of its file. */
export interface FailedTest {
  readonly file: string;
  readonly test: string;
  /** Whether it waited in vain, or a service did not respond in time: that happens by a fault, and also on a busy machine. */
  readonly mayBeBusy: boolean;
}

/** Arguments of a run that ends at its first failure, with a short timeout. */
const UP_TO_A_FAILURE = [
  ...['--bail', '--testTimeout', '90000'],
  ...['--testEnvironment', join(__dirname, 'first-failure-environment.js')],
];
const IMPATIENT = { TEST_PATIENCE_MS: '15000' };

/** Minutes after which running tests are stopped: they detect nothing. */
const LONGEST_MINUTES = 20;
const LONGEST_REASON = 1_000;
const LONGEST_OUTPUT = 1_000_000;

/**
 * Runs the tests of a repository that a pattern names, up to the first file with a failure; returns the failed test. A
 * pattern is a regular expression of paths, optionally followed by a regular expression of test names:
 * `test/delivery/database/events > The event log`. Throws if no test can run, for example because the product does not
 * compile or because no test has that name.
 */
export async function runTests(root: string, pattern: string): Promise<FailedTest | undefined> {
  const [paths, name] = patternOf(pattern);
  const config = /\/rules\b/.test(paths) ? ['--config', 'jest.rules.config.js'] : [];
  const names = name === undefined ? [] : ['--testNamePattern', name];
  const { code, output } = await jest(root, [...config, ...UP_TO_A_FAILURE, ...names, '--testPathPatterns', paths]);
  if (code === 0) {
    if (!A_TEST_PASSED.test(output)) throw new Error(`${pattern} selects no test`);
    return undefined;
  }
  const [, file, test] = FIRST_FAILURE.exec(output) ?? [];
  if (file === undefined || test === undefined || test === 'Test suite failed to run') {
    const report = output.slice(output.indexOf('●')).trim();
    throw new Error(`the tests of ${pattern} cannot be run: ${report.slice(0, LONGEST_REASON)}`);
  }
  return { file, test, mayBeBusy: LATE_OR_BUSY.test(output) };
}

/** Returns the pattern of one file that a pattern selects, with the same tests. */
export function patternOfFile(file: string, pattern: string): string {
  const [, name] = patternOf(pattern);
  const path = `${file.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
  return name === undefined ? path : `${path} > ${name}`;
}

/** Splits a pattern into the regular expressions of paths and of test names. */
export function patternOf(pattern: string): readonly [paths: string, name: string | undefined] {
  const [paths = '', name] = pattern.split(' > ');
  return [paths, name];
}

/** Matches the summary of a run of at least one test. */
const A_TEST_PASSED = /^Tests:.* \d+ passed/m;
/** Matches the file and its first failed test in the output of jest. */
const FIRST_FAILURE = /^FAIL (\S+)[^●]*● (.+)$/m;
/** Matches the messages of `until()` and of jest's own limit, and the responses of a busy register. */
const LATE_OR_BUSY = /nothing within \d+ ms|Exceeded timeout|\bSYS002\b|\b503\b/;

function jest(
  root: string,
  words: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [join(root, 'node_modules', '.bin', 'jest'), ...words], {
    cwd: root,
    env: { ...process.env, ...IMPATIENT },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(0, LONGEST_OUTPUT)));
  const late = setTimeout(() => child.kill('SIGTERM'), LONGEST_MINUTES * 60_000);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(late);
      resolve({ code, output });
    });
  });
}
