import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** A test that failed, and the path of its file. */
export interface FailedTest {
  readonly file: string;
  readonly test: string;
}

/** Minutes after which tests that do not end are ended: they show nothing. */
const LONGEST_MINUTES = 20;
const LONGEST_REASON = 1_000;
const LONGEST_OUTPUT = 1_000_000;

/**
 * Runs the tests of a repository whose paths match a pattern, up to the first file with a failure; answers which test failed. Throws when
 * tests cannot be run at all, such as when the product does not compile.
 */
export async function runTests(root: string, pattern: string): Promise<FailedTest | undefined> {
  const config = /\/rules\b/.test(pattern) ? ['--config', 'jest.rules.config.js'] : [];
  const { code, output } = await jest(root, [...config, '--bail', '--passWithNoTests', '--testPathPatterns', pattern]);
  if (code === 0) return undefined;
  const [, file, test] = FIRST_FAILURE.exec(output) ?? [];
  if (file === undefined || test === undefined || test === 'Test suite failed to run') {
    const told = output.slice(output.indexOf('●')).trim();
    throw new Error(`the tests of ${pattern} cannot be run: ${told.slice(0, LONGEST_REASON)}`);
  }
  return { file, test };
}

/** Of what jest prints: the file, and the first test in it that failed. */
const FIRST_FAILURE = /^FAIL (\S+)[^●]*● (.+)$/m;

function jest(
  root: string,
  words: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [join(root, 'node_modules', '.bin', 'jest'), ...words], {
    cwd: root,
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
