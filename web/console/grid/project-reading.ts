import { OperationError } from '../../shared/operation-error';
import type { PageContext } from '../page';
import { type ProjectAddress, projectOfAddress, versionOfAddress } from './project-address';
import type { GridProject } from './operation-results';
import { publicationName } from './labels';

/** Reads the project of an address; NTF001 if it does not exist. */
export async function readProject({ execute, params }: Pick<PageContext, 'execute' | 'params'>): Promise<{
  readonly address: ProjectAddress;
  readonly project: GridProject;
}> {
  const address = projectOfAddress(params);
  if (address === undefined) throw new OperationError('NTF001');
  const { project } = await execute('ReadGridProject', { ...address });
  return { address, project: found(project) };
}

/** Returns the version that an address requests, or else the latest; NTF001 if it does not exist. */
export function shownVersion({ query }: Pick<PageContext, 'query'>, { versions }: GridProject): number {
  if (query['version'] === undefined) return found(versions[0]).version;
  const requested = versionOfAddress(query['version']);
  if (!versions.some(({ version }) => version === requested)) throw new OperationError('NTF001');
  return found(requested);
}

/** Returns a result; throws NTF001 if it is null or undefined. */
export function found<Result>(result: Result | null | undefined): Result {
  if (result === null || result === undefined) throw new OperationError('NTF001');
  return result;
}

/** Returns the fields of a project in the head of its pages. */
export function projectHead({ licenceArea, publicationYear, period, projectId }: GridProject) {
  return { licenceArea, projectId, publication: publicationName(publicationYear, period), period, publicationYear };
}
