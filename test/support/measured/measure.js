/**
 * Measures which lines and branches of the product the tests cover, in all processes of a run: `npm run test:coverage
 * [-- <jest arguments>]`. Prints a table and writes `coverage/product.json`, or the file in COVERAGE_JSON. With
 * COVERAGE_FOLDER, the counters stay in that folder and are added to those of earlier runs of the same sources.
 */
const { spawnSync } = require('node:child_process');
const { mkdirSync, mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { root } = require('./instrumented');
const { mergedCoverage } = require('./merged');
const { summaryOf, tableOf } = require('./summary');

async function main(words) {
  const folder = process.env.COVERAGE_FOLDER ?? mkdtempSync(join(tmpdir(), 'coverage-'));
  mkdirSync(folder, { recursive: true });
  try {
    const jest = [join(root, 'node_modules', '.bin', 'jest'), '--config', join(__dirname, 'jest.config.js'), ...words];
    const env = { ...process.env, TEST_COVERAGE: folder };
    const { status } = spawnSync(process.execPath, jest, { cwd: root, env, stdio: 'inherit' });
    const summary = summaryOf(await mergedCoverage(folder));
    const file = process.env.COVERAGE_JSON ?? join(root, 'coverage', 'product.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(summary, null, 1));
    process.stdout.write(`${tableOf(summary).join('\n')}\n`);
    process.exitCode = status ?? 1;
  } finally {
    if (process.env.COVERAGE_FOLDER === undefined) rmSync(folder, { recursive: true });
  }
}

void main(process.argv.slice(2));
