import { fateOf, findingGroups } from '../grid/findings';
import { cimName, className, fileName, publicationName } from '../grid/labels';
import type { ObjectAfter, VersionWithObjectAfter } from '../grid/operation-results';
import {
  PROJECT_PATH,
  type ProjectAddress,
  fitPage,
  objectAfterPage,
  objectPage,
  versionPage,
} from '../grid/project-address';
import { found, projectHead, readProject, shownVersion } from '../grid/project-reading';
import type { Page, PageContext } from '../page';

/** Shows an object as it is after a version is applied to its base model. */
export const gridObjectAfterPage: Page = {
  method: 'GET',
  path: `${PROJECT_PATH}/after/:mRID`,
  async respond(context) {
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
        target:
          statement.isAssociation && statement.targetExists ? names.get(statement.value.toLowerCase()) : undefined,
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
  },
};

interface NamedObject {
  readonly name: string;
  readonly className: string;
}

interface VersionKey extends ProjectAddress {
  readonly version: number;
}

/** Reads an object with the base model; NTF001 if there is no base model, or neither it nor the version has the object. */
async function readObject({ execute }: PageContext, key: VersionKey & { readonly mRID: string }) {
  const { project } = await execute('ReadGridObjectAfter', { ...key });
  const { baseModel, object: change, objectAfter }: VersionWithObjectAfter = found(project?.version);
  return { base: found(baseModel), change, object: found(objectAfter) };
}

/** Maximum number of referenced objects whose names are read; others are shown by their mRID. */
const NAMED_TARGETS = 24;

/** Reads names and classes of the objects to which an object refers, by mRID in lower case. */
async function readNames(
  { execute }: PageContext,
  key: VersionKey,
  { statements }: ObjectAfter,
): Promise<ReadonlyMap<string, NamedObject>> {
  const targets = statements.filter(({ isAssociation, targetExists }) => isAssociation && targetExists);
  const named = [...new Set(targets.map(({ value }) => value))].slice(0, NAMED_TARGETS);
  if (named.length === 0) return new Map();
  const { project } = await execute('ReadGridNamesAfter', { ...key, mRIDs: named });
  return new Map(
    found(project?.version).objectsAfter.map(({ mRID, name, type }) => [
      mRID.toLowerCase(),
      { name: name ?? mRID, className: className(type) },
    ]),
  );
}
