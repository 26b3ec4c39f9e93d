import { divergingBars, lettersOf, totalOf } from '../grid/class-bars';
import { kindOf } from '../grid/object-filter';
import { PROJECT_PATH, objectPage, projectPage, versionOfAddress, versionPage } from '../grid/project-address';
import { found, projectHead, readProject } from '../grid/project-reading';
import {
  CIM_FILES,
  type GridProject,
  type ModelDifference,
  OBJECT_CHANGE_KINDS,
  type VersionComparison,
} from '../grid/register-answers';
import { valueRows } from '../grid/value-rows';
import { FILE_SUBJECTS, KINDS, className, counted, fileName } from '../grid/wording';
import type { Page } from '../page';
import { cursorOf, withQuery } from '../request/query';

/** Differences of a page of the list. */
const LISTED_DIFFERENCES = 50;

/** What is different between two versions of a development project. */
export const gridComparisonPage: Page = {
  method: 'GET',
  path: `${PROJECT_PATH}/compare`,
  async answer(visit) {
    const { address, project } = await readProject(visit);
    const from = found(versionOfAddress(visit.query['from']));
    const to = found(versionOfAddress(visit.query['to']));
    const filter = { kind: kindOf(visit.query['kind']), file: CIM_FILES.find((file) => file === visit.query['file']) };
    const after = cursorOf(visit.query['after']);
    const { project: answer } = await visit.ask<ComparisonAnswer>('ReadGridComparison', {
      ...{ ...address, from, to, first: LISTED_DIFFERENCES },
      ...{ after: after ?? null, file: filter.file ?? null, kind: filter.kind ?? null },
    });
    const comparison = found(answer?.comparison);
    const { nextCursor, nodes } = comparison.differences;
    const page = `${projectPage(project)}/compare`;
    const listed = (cursor?: string) => `${withQuery(page, { from, to, ...filter, after: cursor })}#differences`;
    return {
      view: 'grid/comparison',
      model: {
        ...projectHead(project),
        ...{ from, to, filter, ...choices(project, filter), ...countsOf(comparison) },
        addresses: { page, all: withQuery(page, { from, to }), project: versionPage(project, to) },
        rows: nodes.map((difference) => rowOf(difference, project, from, to)),
        next: nextCursor === null ? undefined : listed(nextCursor),
        first: after === undefined ? undefined : listed(),
      },
    };
  },
};

interface ComparisonAnswer {
  readonly project: { readonly comparison: VersionComparison | null } | null;
}

function countsOf({ counts }: VersionComparison) {
  const rows = divergingBars(counts);
  return {
    total: counted(counts.reduce((sum, each) => sum + totalOf(each), 0)),
    letters: lettersOf(counts),
    counts: rows.map((each) => ({ ...each, name: fileName(each.file), subject: FILE_SUBJECTS[each.file] })),
  };
}

function choices({ versions }: GridProject, { kind, file }: { kind: unknown; file: unknown }) {
  return {
    versions: versions.map(({ version }) => version),
    kinds: OBJECT_CHANGE_KINDS.map((each) => ({ ...KINDS[each], isChosen: each === kind })),
    files: CIM_FILES.map((each) => ({ file: each, name: fileName(each), isChosen: each === file })),
    isFiltered: kind !== undefined || file !== undefined,
  };
}

/** An item that is gone in the later version is shown as the earlier has it. */
function rowOf(difference: ModelDifference, project: GridProject, from: number, to: number) {
  const { kind, file, section, mRID, type, name, values } = difference;
  return {
    ...KINDS[kind],
    mRID,
    name,
    className: className(type),
    file: fileName(file),
    section: section === 'FORWARD' ? 'forward' : 'reverse',
    address: objectPage(project, kind === 'REMOVED' ? from : to, mRID),
    values: valueRows(values),
  };
}
