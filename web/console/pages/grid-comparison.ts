import { divergingBars, lettersOf, totalOf } from '../grid/class-bars';
import { kindOf } from '../grid/object-filter';
import {
  PROJECT_PATH,
  type ProjectAddress,
  objectPage,
  projectPage,
  versionOfAddress,
  versionPage,
} from '../grid/project-address';
import { found, projectHead, readProject } from '../grid/project-reading';
import {
  CIM_FILES,
  type GridProject,
  type ModelDifference,
  OBJECT_CHANGE_KINDS,
  type VersionComparison,
} from '../grid/operation-results';
import { readChangedObjects } from '../grid/referenced-objects';
import { type ValueRow, valueRows } from '../grid/value-rows';
import { counted } from '../format';
import { FILE_SUBJECTS, KINDS, className, fileName, objectLabel } from '../grid/labels';
import { type PageContext, get } from '../page';
import { pageLinks, textOf, withQuery } from '../request/query';

/** Differences per page. */
const LISTED_DIFFERENCES = 50;

/** Lists the differences between two versions of a development project. */
export const gridComparisonPage = get(`${PROJECT_PATH}/compare`, async (context) => {
  const { address, project } = await readProject(context);
  const from = found(versionOfAddress(context.query['from']));
  const to = found(versionOfAddress(context.query['to']));
  const filter = {
    kind: kindOf(context.query['kind']),
    file: CIM_FILES.find((file) => file === context.query['file']),
  };
  const after = textOf(context.query['after']);
  const { project: result } = await context.execute('ReadGridComparison', {
    ...{ ...address, from, to, first: LISTED_DIFFERENCES },
    ...{ after: after ?? null, file: filter.file ?? null, kind: filter.kind ?? null },
  });
  const comparison = found(result?.comparison);
  const { nextCursor, nodes } = comparison.differences;
  const page = `${projectPage(project)}/compare`;
  const listUrl = (cursor?: string) => `${withQuery(page, { from, to, ...filter, after: cursor })}#differences`;
  return {
    view: 'grid/comparison',
    model: {
      ...projectHead(project),
      ...{ from, to, filter, ...choices(project, filter), ...countsOf(comparison) },
      headers: comparison.headers.map((each) => ({ ...each, file: fileName(each.file) })),
      differentFiles: comparison.differentFiles.map(fileName),
      addresses: { page, all: withQuery(page, { from, to }), project: versionPage(project, to) },
      rows: await rowsOf(context, { address, project, from, to }, nodes),
      ...pageLinks(after, nextCursor, listUrl),
    },
  };
});

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

/** The compared versions of a project. */
interface Compared {
  readonly address: ProjectAddress;
  readonly project: GridProject;
  readonly from: number;
  readonly to: number;
}

async function rowsOf(context: PageContext, compared: Compared, differences: readonly ModelDifference[]) {
  const [before, after] = await Promise.all([
    valuesOf(context, compared, differences, 'before'),
    valuesOf(context, compared, differences, 'after'),
  ]);
  return differences.map((difference) => ({
    ...rowOf(difference, compared),
    values: valueRows(difference.values).map((row) => ({ ...row, before: before(row), after: after(row) })),
  }));
}

/** Returns a function that shows the values of one version: a reference to an object that the version changes has its name and its page. */
async function valuesOf(
  context: PageContext,
  { address, project, from, to }: Compared,
  differences: readonly ModelDifference[],
  side: 'before' | 'after',
) {
  const version = side === 'before' ? from : to;
  const associations = differences.flatMap(({ values }) => values.filter(({ isAssociation }) => isAssociation));
  const references = associations.flatMap((association) => association[side]);
  const objects = await readChangedObjects(context, { ...address, version }, references);
  return ({ isAssociation, [side]: values }: ValueRow) =>
    values.map((value) => {
      const object = isAssociation ? objects.get(value.toLowerCase()) : undefined;
      return object === undefined
        ? { text: value }
        : { text: objectLabel(object).name ?? value, address: objectPage(project, version, value) };
    });
}

/** Links an object that the later version no longer has to the earlier version. */
function rowOf({ kind, file, section, mRID, type, name }: ModelDifference, { project, from, to }: Compared) {
  return {
    ...KINDS[kind],
    mRID,
    name,
    className: className(type),
    file: fileName(file),
    section: section === 'FORWARD' ? 'forward' : 'reverse',
    address: objectPage(project, kind === 'REMOVED' ? from : to, mRID),
  };
}
