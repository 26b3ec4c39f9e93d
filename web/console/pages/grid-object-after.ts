import { fateOf, findingGroups } from '../grid/findings';
import { cimName, className, fileName, publicationName } from '../grid/labels';
import type { ObjectAfter, VersionWithObjectAfter } from '../grid/operation-results';
import {
  PROJECT_PATH,
  type VersionKey,
  fitPage,
  objectAfterPage,
  objectPage,
  versionPage,
} from '../grid/project-address';
import { readReferenced } from '../grid/referenced-objects';
import { found, projectHead, readProject, shownVersion } from '../grid/project-reading';
import { type PageContext, get } from '../page';

/** Shows an object as it is after a version is applied to its base model. */
export const gridObjectAfterPage = get(`${PROJECT_PATH}/after/:mRID`, async (context) => {
  const { address, project } = await readProject(context);
  const key = { ...address, version: shownVersion(context, project) };
  const { base, change, object } = await readObject(context, { ...key, mRID: context.params['mRID'] ?? '' });
  const names = await readNames(context, key, object);
  const rows = object.statements
    .map((statement) => ({
      ...statement,
      name: cimName(statement.name),
      fullName: statement.name,
      file: fileName(statement.file),
      target: statement.isAssociation && statement.targetExists ? names.get(statement.value.toLowerCase()) : undefined,
      address:
        statement.isAssociation && statement.targetExists
          ? objectAfterPage(project, key.version, statement.value)
          : undefined,
    }))
    .toSorted((one, other) => one.fullName.localeCompare(other.fullName));
  return {
    view: 'grid/object-after',
    model: {
      ...projectHead(project),
      version: key.version,
      back: versionPage(project, key.version),
      fit: fitPage(project, key.version),
      base: { ...base, publication: publicationName(base.publicationYear, base.period) },
      object: { ...object, className: className(object.type), fate: fateOf(object, change !== null) },
      change: change === null ? undefined : objectPage(project, key.version, object.mRID),
      findings: findingGroups(object).map(({ entries, ...group }) => ({
        ...group,
        entries: entries.map((entry) => ({
          ...entry,
          address: entry.from === undefined ? undefined : objectAfterPage(project, key.version, entry.from),
        })),
      })),
      attributes: rows.filter(({ isAssociation }) => !isAssociation),
      associations: rows.filter(({ isAssociation }) => isAssociation),
    },
  };
});

/** Reads an object with the base model; NTF001 if there is no base model, or neither it nor the version has the object. */
async function readObject({ execute }: PageContext, key: VersionKey & { readonly mRID: string }) {
  const { project } = await execute('ReadGridObjectAfter', { ...key });
  const { baseModel, object: change, objectAfter }: VersionWithObjectAfter = found(project?.version);
  return { base: found(baseModel), change, object: found(objectAfter) };
}

/** Reads names and classes of the objects to which an object refers, by mRID in lower case. */
function readNames({ execute }: PageContext, key: VersionKey, { statements }: ObjectAfter) {
  const targets = statements.filter(({ isAssociation, targetExists }) => isAssociation && targetExists);
  const references = targets.map(({ value }) => value);
  return readReferenced(references, async (mRIDs) => {
    const { project } = await execute('ReadGridNamesAfter', { ...key, mRIDs });
    return found(project?.version).objectsAfter.map(({ mRID, name, type }) => ({
      mRID,
      name: name ?? mRID,
      className: className(type),
    }));
  });
}
