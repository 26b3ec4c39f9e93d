import type { PageContext } from '../page';
import { pageLinks, textOf, withQuery } from '../request/query';
import { countsByKind, stripOf, sumOf, totalOf } from './class-bars';
import { projectPage } from './project-address';
import { type LicenceArea, type ListedProject, OBJECT_CHANGE_KINDS } from './operation-results';
import { counted, utcDay } from '../format';
import { KINDS, PERIOD_MONTHS, publicationName } from './labels';

/** Selects the projects of the list. */
interface ProjectFilter {
  readonly area: string | undefined;
  readonly publicationYear: number | undefined;
  readonly period: string | undefined;
}

/** Projects per page. */
const LISTED_PROJECTS = 25;

/** Reads the filter from a query string; malformed values count as absent. */
export function projectFilterOf({ area, year, period }: Readonly<Record<string, unknown>>): ProjectFilter {
  return {
    area: typeof area === 'string' && area !== '' ? area : undefined,
    publicationYear: typeof year === 'string' && /^\d{4}$/.test(year) ? Number(year) : undefined,
    period: typeof period === 'string' && Object.hasOwn(PERIOD_MONTHS, period) ? period : undefined,
  };
}

/** Reads a page of the projects that match the filter, the latest publication first. */
export async function readProjects({ execute, query }: Pick<PageContext, 'execute' | 'query'>, filter: ProjectFilter) {
  const after = textOf(query['after']);
  const { areas } = await execute('ReadGridAreas', {});
  const area = filter.area === undefined ? undefined : areaOf(areas, filter.area);
  const isUnknownArea = filter.area !== undefined && area === undefined;
  const { nodes, nextCursor } = isUnknownArea
    ? { nodes: [], nextCursor: null }
    : await readPage(execute, { ...filter, area: area?.code }, after);
  const address = (cursor?: string) =>
    withQuery('/grid', { area: filter.area, year: filter.publicationYear, period: filter.period, after: cursor });
  return {
    areas: areas.toSorted((one, other) => one.name.localeCompare(other.name)),
    /** Code of the area by which the list is filtered. */
    chosenArea: area?.code,
    isUnknownArea,
    rows: nodes.map(rowOf),
    ...pageLinks(after, nextCursor, address),
  };
}

/** A licence area with its aliases. */
interface NamedArea extends LicenceArea {
  readonly aliases: readonly string[];
}

/** Returns the area with this code or alias; letter case is ignored. */
function areaOf(areas: readonly NamedArea[], label: string): NamedArea | undefined {
  return areas.find(({ code, aliases }) =>
    [code, ...aliases].some((each) => each.toLowerCase() === label.trim().toLowerCase()),
  );
}

async function readPage(execute: PageContext['execute'], filter: ProjectFilter, after: string | undefined) {
  const { projects } = await execute('ReadGridProjects', {
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
    published: utcDay(latestVersion.publishedAt),
    counts: OBJECT_CHANGE_KINDS.map((kind) => ({ ...KINDS[kind], text: counted(counts[kind]) })),
    total: counted(totalOf(sum)),
    strip: stripOf(sum),
  };
}
