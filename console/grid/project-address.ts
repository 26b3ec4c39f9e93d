import { PROJECT_ID_PATTERN } from '../../schema/identifiers';
import type { ProjectName } from './register-answers';

/** A development project, as an address names it and operations ask for it. */
export interface ProjectAddress {
  readonly area: string;
  readonly publicationYear: number;
  readonly period: string;
  readonly projectId: string;
}

/** Path of the pages of a development project, as the web server reads it. */
export const PROJECT_PATH = '/grid/:area/:year/:period/:projectId';

const YEAR = /^\d{4}$/;
const PERIOD = /^0[12]$/;

/** The project of an address; undefined when there can be none. */
export function projectOfAddress(params: Readonly<Record<string, string>>): ProjectAddress | undefined {
  const { area = '', year = '', period = '', projectId = '' } = params;
  const isOne = YEAR.test(year) && PERIOD.test(period) && PROJECT_ID_PATTERN.test(projectId);
  return isOne ? { area, publicationYear: Number(year), period, projectId } : undefined;
}

/** A version as an address names it; undefined when it names none. */
export function versionOfAddress(version: unknown): number | undefined {
  return typeof version === 'string' && /^[1-9]\d{0,8}$/.test(version) ? Number(version) : undefined;
}

/** Address of a project's page. */
export function projectPage({ licenceArea, publicationYear, period, projectId }: ProjectName): string {
  return `/grid/${[licenceArea.code, publicationYear, period, projectId].map(encodeURIComponent).join('/')}`;
}

/** Address of a version's page. */
export function versionPage(project: ProjectName, version: number): string {
  return `${projectPage(project)}?version=${version}`;
}

/** Address of the page of an object of a version. */
export function objectPage(project: ProjectName, version: number, mRID: string): string {
  return `${projectPage(project)}/objects/${encodeURIComponent(mRID)}?version=${version}`;
}

/** Address of the comparison of two versions. */
export function comparisonPage(project: ProjectName, from: number, to: number): string {
  return `${projectPage(project)}/compare?from=${from}&to=${to}`;
}

/** Path of a file of a version at Interface C; without a file, of the archive. */
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
