import type { Visit } from '../page';
import { cursorOf, withQuery } from '../request/query';
import { type ObjectFilter, isFiltered } from './object-filter';
import { type ProjectAddress, objectPage, projectPage } from './project-address';
import { found } from './project-reading';
import { type GridProject, type ListedObject, OBJECT_CHANGE_KINDS } from './register-answers';
import { KINDS, className, fileLetters } from './wording';

/** Objects of a page of the list. */
const LISTED_OBJECTS = 50;

/** Asks for the objects of a version that the filter lets through. */
export async function readObjects(
  { ask, query }: Pick<Visit, 'ask' | 'query'>,
  project: GridProject,
  address: ProjectAddress,
  version: number,
  filter: ObjectFilter,
) {
  const after = cursorOf(query['after']);
  const { project: answer } = await ask<ObjectsAnswer>('ReadGridObjects', {
    ...address,
    version,
    first: LISTED_OBJECTS,
    after: after ?? null,
    kind: filter.kind ?? null,
    type: filter.type ?? null,
    search: filter.search ?? null,
  });
  const { nodes, nextCursor } = found(answer?.version).objects;
  const page = projectPage(project);
  const of = (cursor?: string) => `${withQuery(page, { version, ...filter, after: cursor })}#objects`;
  return {
    rows: nodes.map((object) => rowOf(object, project, version)),
    next: nextCursor === null ? undefined : of(nextCursor),
    first: after === undefined ? undefined : of(),
    kinds: OBJECT_CHANGE_KINDS.map((kind) => ({ ...KINDS[kind], isChosen: kind === filter.kind })),
    isFiltered: isFiltered(filter),
    action: page,
    all: `${withQuery(page, { version })}#objects`,
  };
}

interface ObjectsAnswer {
  readonly project: {
    readonly version: {
      readonly objects: { readonly nodes: readonly ListedObject[]; readonly nextCursor: string | null };
    } | null;
  } | null;
}

function rowOf({ mRID, type, kind, name, files }: ListedObject, project: GridProject, version: number) {
  return {
    ...KINDS[kind],
    mRID,
    name,
    className: className(type),
    files: files.map(fileLetters),
    address: objectPage(project, version, mRID),
  };
}
