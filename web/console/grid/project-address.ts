import { PROJECT_ID_PATTERN } from '../../../schema/identifiers';
import { withQuery } from '../request/query';
import type { ProjectName } from './operation-results';

/** Key of a development project, as variables of operations. */
export interface ProjectAddress {
  readonly area: string;
  readonly publicationYear: number;
  readonly period: string;
  readonly projectId: string;
}

/** Key of a version of a development project, as variables of operations. */
export interface VersionKey extends ProjectAddress {
  readonly version: number;
}

/** Route of the pages of a development project. */
export const PROJECT_PATH = '/grid/:area/:year/:period/:projectId';

const YEAR = /^\d{4}$/;
const PERIOD = /^0[12]$/;

/** Returns the project of an address; undefined if the address is malformed. */
export function projectOfAddress(params: Readonly<Record<string, string>>): ProjectAddress | undefined {
  const { area = '', year = '', period = '', projectId = '' } = params;
  const isValid = YEAR.test(year) && PERIOD.test(period) && PROJECT_ID_PATTERN.test(projectId);
  return isValid ? { area, publicationYear: Number(year), period, projectId } : undefined;
}

/** Returns the version of an address; undefined if it is malformed. */
export function versionOfAddress(version: unknown): number | undefined {
  return typeof version === 'string' && /^[1-9]\d{0,8}$/.test(version) ? Number(version) : undefined;
}

/** Returns the address of a project's page. */
export function projectPage({ licenceArea, publicationYear, period, projectId }: ProjectName): string {
  return `/grid/${[licenceArea.code, publicationYear, period, projectId].map(encodeURIComponent).join('/')}`;
}

/** Returns the address of a version's page. */
export function versionPage(project: ProjectName, version: number): string {
  return `${projectPage(project)}?version=${version}`;
}

/** Returns the address of the page of an object of a version; with a cursor, of the references after it. */
export function objectPage(project: ProjectName, version: number, mRID: string, after?: string): string {
  return withQuery(`${projectPage(project)}/objects/${encodeURIComponent(mRID)}`, { version, after });
}

/** Returns the address of the page that shows how a version fits its base model; with a cursor, of the objects after it. */
export function fitPage(project: ProjectName, version: number, after?: string): string {
  return withQuery(`${projectPage(project)}/after`, { version, after });
}

/** Returns the address of the page of an object after a version. */
export function objectAfterPage(project: ProjectName, version: number, mRID: string): string {
  return `${projectPage(project)}/after/${encodeURIComponent(mRID)}?version=${version}`;
}

/** Returns the address of the comparison of two versions. */
export function comparisonPage(project: ProjectName, from: number, to: number): string {
  return `${projectPage(project)}/compare?from=${from}&to=${to}`;
}

/** Route of the form that checks an archive. */
export const GRID_CHECK_PATH = '/grid/check';

/** Returns the address of the form that checks another version of a project. */
export function checkPage({ licenceArea, publicationYear, period, projectId }: ProjectName): string {
  return withQuery(GRID_CHECK_PATH, { area: licenceArea.code, year: publicationYear, period, project: projectId });
}

/** Returns the path of a file of a version at Interface C, or of the archive if no file is passed. */
export function filePath(project: ProjectName, version: number, file?: string): string {
  const { licenceArea, publicationYear, period, projectId } = project;
  const query = new URLSearchParams({
    licenceArea: licenceArea.code,
    publicationYear: String(publicationYear),
    period,
    version: String(version),
  });
  const path = ['grid-modelling', 'stage3', 'development-projects', projectId, ...(file === undefined ? [] : [file])];
  return `/${path.map(encodeURIComponent).join('/')}?${query}`;
}
