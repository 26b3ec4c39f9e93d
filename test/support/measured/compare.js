/**
 * Prints what one measurement covers and another does not: `node test/support/measured/compare.js <before>.json
 * <after>.json`. Fails if there is such a line or branch.
 */
const { readFileSync } = require('node:fs');
const { tableOf } = require('./summary');

function main([before, after]) {
  const [old, now] = [before, after].map((file) => JSON.parse(readFileSync(file, 'utf8')));
  const lost = Object.entries(now.files).flatMap(([path, file]) => {
    const was = old.files[path];
    if (was === undefined) return [];
    const lines = file.unreachedLines.filter((line) => !was.unreachedLines.includes(line));
    const arms = file.unreachedBranches.filter((arm) => !was.unreachedBranches.includes(arm));
    return lines.length + arms.length === 0 ? [] : [`${path}: lines ${lines.join(' ')}; branches ${arms.join(' ')}`];
  });
  const words = ['before', ...tableOf(old), 'after', ...tableOf(now), 'reached before, not after:', ...lost];
  process.stdout.write(`${words.join('\n')}\n`);
  process.exitCode = lost.length === 0 ? 0 : 1;
}

main(process.argv.slice(2));
