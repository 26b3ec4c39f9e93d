import type { PageContext } from '../page';
import { pageLinks, textOf, withQuery } from '../request/query';
import { type ObjectFilter, isFiltered } from './object-filter';
import { type ProjectAddress, objectPage, projectPage } from './project-address';
import { found } from './project-reading';
import { type GridProject, type ListedObject, OBJECT_CHANGE_KINDS } from './operation-results';
import { KINDS, fileLetters, objectLabel } from './labels';

/** Objects per page. */
const LISTED_OBJECTS = 50;

/** Reads a page of the objects of a version that match the filter. */
export async function readObjects(
  { execute, query }: Pick<PageContext, 'execute' | 'query'>,
  project: GridProject,
  address: ProjectAddress,
  version: number,
  filter: ObjectFilter,
) {
  const after = textOf(query['after']);
  const { project: result } = await execute('ReadGridObjects', {
    ...address,
    version,
    first: LISTED_OBJECTS,
    after: after ?? null,
    kind: filter.kind ?? null,
    type: filter.type ?? null,
    search: filter.search ?? null,
  });
  const { nodes, nextCursor } = found(result?.version).objects;
  const page = projectPage(project);
  const listUrl = (cursor?: string) => `${withQuery(page, { version, ...filter, after: cursor })}#objects`;
  return {
    rows: nodes.map((object) => rowOf(object, project, version)),
    ...pageLinks(after, nextCursor, listUrl),
    kinds: OBJECT_CHANGE_KINDS.map((kind) => ({ ...KINDS[kind], isChosen: kind === filter.kind })),
    isFiltered: isFiltered(filter),
    action: page,
    all: `${withQuery(page, { version })}#objects`,
  };
}

function rowOf(object: ListedObject, project: GridProject, version: number) {
  const { mRID, kind, files } = object;
  return {
    ...KINDS[kind],
    ...objectLabel(object),
    mRID,
    files: files.map(fileLetters),
    address: objectPage(project, version, mRID),
  };
}
