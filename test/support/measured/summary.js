const { relative } = require('node:path');
const { createCoverageSummary } = require('istanbul-lib-coverage');
const { root } = require('./instrumented');

/** Returns the coverage of each file: percentages, uncovered lines, and uncovered branches (`line:column#arm`). */
function summaryOf(map) {
  const files = {};
  const folders = new Map();
  for (const path of map.files()) {
    const name = relative(root, path);
    const file = map.fileCoverageFor(path);
    files[name] = { ...percentages(file.toSummary()), unreachedLines: file.getUncoveredLines(), ...branches(file) };
    for (const folder of ['all', folderOf(name)]) {
      folders.set(folder, (folders.get(folder) ?? createCoverageSummary()).merge(file.toSummary()));
    }
  }
  const all = folders.get('all');
  folders.delete('all');
  const byName = [...[...folders].toSorted(([one], [other]) => (one < other ? -1 : 1)), ['all', all]];
  return { folders: Object.fromEntries(byName.map(([name, sum]) => [name, percentages(sum)])), files };
}

function percentages(summary) {
  const { lines, branches: arms } = summary.toJSON();
  return {
    lines: { covered: lines.covered, total: lines.total },
    branches: { covered: arms.covered, total: arms.total },
  };
}

function branches(file) {
  const unreachedBranches = Object.entries(file.branchMap).flatMap(([id, { loc }]) =>
    file.b[id].flatMap((hits, arm) => (hits === 0 ? [`${loc.start.line}:${loc.start.column}#${arm}`] : [])),
  );
  return { unreachedBranches };
}

/** Returns the first folder of a path; for subgraphs, the subgraph. */
function folderOf(name) {
  const folders = name.split('/').slice(0, -1);
  return folders.length === 0 ? '.' : folders.slice(0, folders[0] === 'subgraphs' ? 2 : 1).join('/');
}

/** Returns the summary as lines of a table. */
function tableOf({ folders }) {
  const percent = ({ covered, total }) => (total === 0 ? '-' : ((100 * covered) / total).toFixed(1));
  const row = (...cells) => cells.map((cell, column) => (column === 0 ? cell.padEnd(24) : cell.padStart(18))).join('');
  const cell = (count) => `${percent(count)} % of ${count.total}`;
  return [
    row('folder', 'lines', 'branches'),
    ...Object.entries(folders).map(([name, { lines, branches: arms }]) => row(name, cell(lines), cell(arms))),
  ];
}

module.exports = { summaryOf, tableOf };
