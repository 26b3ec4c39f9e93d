import { existsSync } from 'node:fs';

const CHROMIUM = '/usr/bin/chromium';
/** Debian's build of the same Chromium without windows: a browser test uses a third of the processor time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

/** Returns the browser of the tests, or undefined if none is installed. The long form uses the complete Chromium. */
export function chromiumProgram(): string | undefined {
  const named = process.env['CHROMIUM'];
  const installed = process.env['TEST_LONG'] === undefined ? [HEADLESS_SHELL, CHROMIUM] : [CHROMIUM, HEADLESS_SHELL];
  return (named === undefined ? installed : [named]).find((program) => existsSync(program));
}
