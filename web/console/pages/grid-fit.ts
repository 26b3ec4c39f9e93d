import { FINDING_WORDS, fateOf, findingGroups } from '../grid/findings';
import { counted, quantity, utcDay } from '../format';
import { className, fileLetters, fileName, publicationName } from '../grid/labels';
import type { GridFit, GridProject, UnfittingObject } from '../grid/operation-results';
import {
  PROJECT_PATH,
  type ProjectAddress,
  type VersionKey,
  fitPage,
  objectAfterPage,
  projectPage,
  versionPage,
} from '../grid/project-address';
import { found, projectHead, readProject, shownVersion } from '../grid/project-reading';
import { type PageContext, get } from '../page';
import { pageLinks, textOf } from '../request/query';

/** Objects per page. */
const LISTED_OBJECTS = 50;

/** Shows how a version fits its base model: which objects do not, and any object after the project. */
export const gridFitPage = get(`${PROJECT_PATH}/after`, async (context) => {
  const { address, project } = await readProject(context);
  const version = shownVersion(context, project);
  const mRID = textOf(context.query['mRID']);
  const existing = mRID === undefined ? undefined : await knownObject(context, { ...address, version, mRID });
  if (existing !== undefined) return { seeOther: objectAfterPage(project, version, existing) };
  const after = textOf(context.query['after']);
  const fit = await readFit(context, address, version, after);
  return {
    view: 'grid/fit',
    model: {
      ...projectHead(project),
      version,
      back: versionPage(project, version),
      action: `${projectPage(project)}/after`,
      unknownObject: mRID,
      ...baseModel(fit),
      ...unfittingObjects(fit, project, version, after),
      words: Object.values(FINDING_WORDS),
    },
  };
});

async function readFit(
  { execute }: PageContext,
  address: ProjectAddress,
  version: number,
  after: string | undefined,
): Promise<GridFit> {
  const { project } = await execute('ReadGridFit', {
    ...address,
    version,
    first: LISTED_OBJECTS,
    after: after ?? null,
  });
  return found(project?.version);
}

/** Returns the mRID of an object as the models spell it; undefined if neither the base model nor the version has it. */
async function knownObject(
  { execute }: PageContext,
  { mRID, ...key }: VersionKey & { readonly mRID: string },
): Promise<string | undefined> {
  const { project } = await execute('ReadGridNamesAfter', { ...key, mRIDs: [mRID] });
  return project?.version?.objectsAfter[0]?.mRID;
}

function baseModel({ baseModel: base }: GridFit) {
  if (base === null) return { base: undefined };
  const { publicationYear, period, version, publishedAt, files, warnings } = base;
  return {
    base: {
      version,
      publication: publicationName(publicationYear, period),
      published: utcDay(publishedAt),
      warnings: warnings.map(({ file, message }) => ({ letters: fileLetters(file), message })),
      files: files.map(({ file, items, statements, header }) => ({
        file: fileName(file),
        items: counted(items),
        statements: counted(statements),
        description: header.description,
        mRID: header.mRID,
      })),
    },
  };
}

function unfittingObjects(
  { unfittingObjects: unfitting }: GridFit,
  project: GridProject,
  version: number,
  after?: string,
) {
  const address = (cursor?: string) => `${fitPage(project, version, cursor)}#unfitting`;
  const links = pageLinks(after, unfitting?.nextCursor, address);
  const objects = unfitting?.nodes ?? [];
  return {
    rows: objects.map((object) => rowOf(object, project, version)),
    count: objects.length === 0 ? undefined : countOf(objects, links.first === undefined && links.next === undefined),
    ...links,
  };
}

/** Counts what does not fit: all of it, or that of one page of several, since the graph does not count the whole list. */
function countOf(objects: readonly UnfittingObject[], isAll: boolean) {
  const things = objects.reduce((sum, { findings }) => sum + findings.length, 0);
  return { things: quantity(things, 'thing'), objects: quantity(objects.length, 'object'), isAll };
}

function rowOf(object: UnfittingObject, project: GridProject, version: number) {
  return {
    mRID: object.mRID,
    name: object.name,
    className: className(object.type),
    fate: fateOf(object, true),
    address: objectAfterPage(project, version, object.mRID),
    findings: findingGroups(object),
  };
}
