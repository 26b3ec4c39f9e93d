import type { Visit } from '../page';
import { cursorOf, withQuery } from '../request/query';
import { stripOf, sumOf, totalOf } from './class-bars';
import { countsByKind } from './counts-by-kind';
import { projectPage } from './project-address';
import { type LicenceArea, type ListedProject, OBJECT_CHANGE_KINDS } from './register-answers';
import { KINDS, PERIOD_MONTHS, counted, dayOf, publicationName } from './wording';

/** Which projects are listed. */
export interface ProjectFilter {
  readonly area: string | undefined;
  readonly publicationYear: number | undefined;
  readonly period: string | undefined;
}

/** Projects of a page of the list. */
const LISTED_PROJECTS = 25;

/** A filter as the address of the list carries it; what is malformed counts as absent. */
export function projectFilterOf({ area, year, period }: Readonly<Record<string, unknown>>): ProjectFilter {
  return {
    area: typeof area === 'string' && area !== '' ? area : undefined,
    publicationYear: typeof year === 'string' && /^\d{4}$/.test(year) ? Number(year) : undefined,
    period: typeof period === 'string' && Object.hasOwn(PERIOD_MONTHS, period) ? period : undefined,
  };
}

/** Asks for the projects that the filter lets through, those first that were published last. */
export async function readProjects({ ask, query }: Pick<Visit, 'ask' | 'query'>, filter: ProjectFilter) {
  const after = cursorOf(query['after']);
  const { areas } = await ask<{ areas: readonly NamedArea[] }>('ReadGridAreas', {});
  const area = filter.area === undefined ? undefined : areaOf(areas, filter.area);
  const isUnknownArea = filter.area !== undefined && area === undefined;
  const { nodes, nextCursor } = isUnknownArea
    ? { nodes: [], nextCursor: null }
    : await readPage(ask, { ...filter, area: area?.code }, after);
  const address = (cursor?: string) =>
    withQuery('/grid', { area: filter.area, year: filter.publicationYear, period: filter.period, after: cursor });
  return {
    areas: areas.toSorted((one, other) => one.name.localeCompare(other.name)),
    /** The code of the area to which the list is narrowed. */
    chosenArea: area?.code,
    isUnknownArea,
    rows: nodes.map(rowOf),
    next: nextCursor === null ? undefined : address(nextCursor),
    first: after === undefined ? undefined : address(),
  };
}

/** An area with the other codes that name it. */
interface NamedArea extends LicenceArea {
  readonly aliases: readonly string[];
}

/** The area that a code or an alias names, in any case. */
function areaOf(areas: readonly NamedArea[], label: string): NamedArea | undefined {
  return areas.find(({ code, aliases }) =>
    [code, ...aliases].some((each) => each.toLowerCase() === label.trim().toLowerCase()),
  );
}

interface ProjectsPage {
  readonly nodes: readonly ListedProject[];
  readonly nextCursor: string | null;
}

async function readPage(ask: Visit['ask'], filter: ProjectFilter, after: string | undefined): Promise<ProjectsPage> {
  const { projects } = await ask<{ projects: ProjectsPage }>('ReadGridProjects', {
    first: LISTED_PROJECTS,
    after: after ?? null,
    area: filter.area ?? null,
    publicationYear: filter.publicationYear ?? null,
    period: filter.period ?? null,
  });
  return projects;
}

function rowOf(project: ListedProject) {
  const { licenceArea, publicationYear, period, projectId, latestVersion } = project;
  const sum = sumOf(latestVersion.classCounts);
  const counts = countsByKind(sum);
  return {
    address: projectPage(project),
    projectId,
    licenceArea,
    publication: publicationName(publicationYear, period),
    version: latestVersion.version,
    publishedAt: latestVersion.publishedAt,
    published: dayOf(latestVersion.publishedAt),
    counts: OBJECT_CHANGE_KINDS.map((kind) => ({ ...KINDS[kind], text: counted(counts[kind]) })),
    total: counted(totalOf(sum)),
    strip: stripOf(sum),
  };
}
