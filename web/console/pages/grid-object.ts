import { type VersionKey, PROJECT_PATH, objectAfterPage, objectPage, versionPage } from '../grid/project-address';
import { readChangedObjects } from '../grid/referenced-objects';
import { found, projectHead, readProject, shownVersion } from '../grid/project-reading';
import type { GridProject, ObjectChange, ValueChange } from '../grid/operation-results';
import { type ValueRow, valueRows } from '../grid/value-rows';
import { KINDS, cimName, fileName, objectLabel } from '../grid/labels';
import { pageLinks, textOf } from '../request/query';
import { type PageContext, get } from '../page';

/** Shows the values of one object before and after a version. */
export const gridObjectPage = get(`${PROJECT_PATH}/objects/:mRID`, async (context) => {
  const { address, project } = await readProject(context);
  const key = { ...address, version: shownVersion(context, project) };
  const after = textOf(context.query['after']);
  const { object, hasBase } = await readObject(context, key, context.params['mRID'] ?? '', after);
  const targets = await readTargets(context, key, object.values);
  const linked = (mRID: string) => {
    const target = targets.get(mRID.toLowerCase());
    if (target === undefined) return { mRID };
    return {
      mRID,
      object: { ...KINDS[target.kind], ...objectLabel(target) },
      address: objectPage(project, key.version, mRID),
    };
  };
  const rows = valueRows(object.values).map((row) => withTargets(row, linked));
  return {
    view: 'grid/object',
    model: {
      ...projectHead(project),
      version: key.version,
      back: versionPage(project, key.version),
      after: hasBase ? objectAfterPage(project, key.version, object.mRID) : undefined,
      references: referencesOf(object, project, key.version, after),
      object: {
        ...object,
        ...KINDS[object.kind],
        ...objectLabel(object),
        files: object.files.map(fileName),
      },
      attributes: tableOf(
        object,
        rows.filter(({ isAssociation }) => !isAssociation),
      ),
      associations: tableOf(
        object,
        rows.filter(({ isAssociation }) => isAssociation),
      ),
    },
  };
});

/** Returns a table with the columns that the kind of the change has, and those in which a row has a value. */
function tableOf({ kind }: ObjectChange, rows: readonly ValueRow[]) {
  return {
    rows,
    hasBefore: kind !== 'ADDED' || rows.some(({ before }) => before.length > 0),
    hasAfter: kind !== 'REMOVED' || rows.some(({ after }) => after.length > 0),
  };
}

/** References per page. */
const LISTED_REFERENCES = 50;

async function readObject(
  { execute }: PageContext,
  key: VersionKey,
  mRID: string,
  after: string | undefined,
): Promise<{ readonly object: ObjectChange; readonly hasBase: boolean }> {
  const variables = { ...key, mRID, references: LISTED_REFERENCES, after: after ?? null };
  const { project } = await execute('ReadGridObject', variables);
  const version = found(project?.version);
  return { object: found(version.object), hasBase: version.baseModel !== null };
}

/** Returns a page of the objects of this version that refer to the object. */
function referencesOf(
  { mRID, incomingReferences: { nodes, nextCursor } }: ObjectChange,
  project: GridProject,
  version: number,
  after: string | undefined,
) {
  const address = (cursor?: string) => `${objectPage(project, version, mRID, cursor)}#references`;
  return {
    rows: nodes.map(({ name, file, isAdded, isDeleted, source }) => ({
      name: cimName(name),
      fullName: name,
      file: fileName(file),
      source: { ...source, ...objectLabel(source), address: objectPage(project, version, source.mRID) },
      change: isAdded && isDeleted ? undefined : KINDS[isAdded ? 'ADDED' : 'REMOVED'],
    })),
    ...pageLinks(after, nextCursor, address),
  };
}

/** Reads the referenced objects that this version also changes, by mRID in lower case. */
function readTargets(context: PageContext, key: VersionKey, values: readonly ValueChange[]) {
  const associations = values.filter(({ isAssociation }) => isAssociation);
  return readChangedObjects(
    context,
    key,
    associations.flatMap(({ before, after }) => [...before, ...after]),
  );
}

function withTargets<Linked>(row: ValueRow, linked: (mRID: string) => Linked) {
  return row.isAssociation
    ? { ...row, targets: { before: row.before.map(linked), after: row.after.map(linked) } }
    : row;
}
