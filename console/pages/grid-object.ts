import { PROJECT_PATH, objectPage, versionOfAddress, versionPage } from '../grid/project-address';
import { found, projectHead, readProject } from '../grid/project-reading';
import type { ObjectChange, ValueChange } from '../grid/register-answers';
import { type ValueRow, valueRows } from '../grid/value-rows';
import { KINDS, className, fileName } from '../grid/wording';
import type { Page, Visit } from '../page';

/** What a version does to one object: each value, old and new. */
export const gridObjectPage: Page = {
  method: 'GET',
  path: `${PROJECT_PATH}/objects/:mRID`,
  async answer(visit) {
    const { address, project } = await readProject(visit);
    const { version: asked } = visit.query;
    const version = asked === undefined ? project.versions[0]?.version : versionOfAddress(asked);
    const place = { ...address, version: found(version) };
    const object = await readObject(visit, place, visit.params['mRID'] ?? '');
    const targets = await readTargets(visit, place, object.values);
    const linked = (mRID: string) => ({
      mRID,
      object: targets.get(mRID),
      address: targets.has(mRID) ? objectPage(project, place.version, mRID) : undefined,
    });
    const rows = valueRows(object.values).map((row) => withTargets(row, linked));
    return {
      view: 'grid/object',
      model: {
        ...projectHead(project),
        version: place.version,
        back: versionPage(project, place.version),
        object: {
          ...object,
          ...KINDS[object.kind],
          className: className(object.type),
          files: object.files.map(fileName),
        },
        attributes: rows.filter(({ isAssociation }) => !isAssociation),
        associations: rows.filter(({ isAssociation }) => isAssociation),
      },
    };
  },
};

interface Place extends Record<string, unknown> {
  readonly version: number;
}

async function readObject({ ask }: Visit, place: Place, mRID: string): Promise<ObjectChange> {
  const { project } = await ask<ObjectAnswer<ObjectChange>>('ReadGridObject', { ...place, mRID });
  return found(project?.version?.object);
}

interface ObjectAnswer<Answered> {
  readonly project: { readonly version: { readonly object: Answered | null } | null } | null;
}

/** An object to which a changed one refers, if the version changes it too. */
interface Target {
  readonly type: string;
  readonly kind: ObjectChange['kind'];
  readonly name: string | null;
}

/** Targets that a page names; more are told by their mRID alone. */
const NAMED_TARGETS = 24;

/** The objects to which an object refers: those that this version changes, by mRID. */
async function readTargets({ ask }: Visit, place: Place, values: readonly ValueChange[]) {
  const mRIDs = values
    .filter(({ isAssociation }) => isAssociation)
    .flatMap(({ before, after }) => [...before, ...after]);
  const asked = [...new Set(mRIDs)].slice(0, NAMED_TARGETS);
  const answers = await Promise.all(
    asked.map(async (mRID) => {
      const { project } = await ask<ObjectAnswer<Target>>('ReadGridObjectName', { ...place, mRID });
      return [mRID, project?.version?.object] as const;
    }),
  );
  return new Map(
    answers.flatMap(([mRID, target]) =>
      target ? [[mRID, { ...KINDS[target.kind], name: target.name, className: className(target.type) }]] : [],
    ),
  );
}

function withTargets<Linked>(row: ValueRow, linked: (mRID: string) => Linked) {
  return row.isAssociation
    ? { ...row, targets: { before: row.before.map(linked), after: row.after.map(linked) } }
    : row;
}
