const { readFileSync, readdirSync } = require('node:fs');
const { basename, join } = require('node:path');

/** Level of warnings in the log (pino). */
const WARNING = 40;
/** Maximum number of lines per failed file, and of characters per line. */
const MAX_LINES = 30;
const MAX_CHARACTERS = 400;

/** Returns the time (ISO 8601) of a line of the log that is a warning or an error; undefined for all others. */
function timeOfWarning(line) {
  try {
    const { level = 0, time } = JSON.parse(line);
    return level >= WARNING ? time : undefined;
  } catch {
    return undefined; // `ready` and other lines of a start, or an incomplete line
  }
}

/** Returns the warnings and errors since a time (ISO 8601) from the logs in a folder, by time. */
function warningsSince(from, folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .map((line) => ({ line, time: timeOfWarning(line) }))
    .filter(({ time }) => time !== undefined && time >= from)
    .toSorted((one, other) => (one.time < other.time ? -1 : 1))
    .map(({ line }) => line.slice(0, MAX_CHARACTERS));
}

/**
 * Prints for a failed test file which warnings and errors the registers of the run have logged since its start: a failure of a busy
 * machine, such as a SYS002, often cannot be repeated.
 */
module.exports = class FailureLogs {
  onTestResult(_test, { numFailingTests, testExecError, testFilePath, perfStats }) {
    if (numFailingTests === 0 && !testExecError) return;
    const lines = warningsSince(new Date(perfStats.start).toISOString(), process.env.TMPDIR);
    const shown = lines.slice(-MAX_LINES);
    const title = `During ${basename(testFilePath)} the registers logged ${lines.length} warnings; the last ${shown.length}:`;
    process.stderr.write([title, ...shown, ''].join('\n'));
  }
};
