import { RegisterRefusal } from '../../web/register-refusal';
import type { Visit } from '../page';
import { type ProjectAddress, projectOfAddress } from './project-address';
import type { GridProject } from './register-answers';
import { publicationName } from './wording';

/** The project of an address as the register has it; NTF001 when it has none. */
export async function readProject({ ask, params }: Pick<Visit, 'ask' | 'params'>): Promise<{
  readonly address: ProjectAddress;
  readonly project: GridProject;
}> {
  const address = projectOfAddress(params);
  if (address === undefined) throw new RegisterRefusal('NTF001');
  const { project } = await ask<{ project: GridProject | null }>('ReadGridProject', { ...address });
  return { address, project: found(project) };
}

/** What the register answered; NTF001 when that was nothing. */
export function found<Answer>(answer: Answer | null | undefined): Answer {
  if (answer === null || answer === undefined) throw new RegisterRefusal('NTF001');
  return answer;
}

/** How pages name a project at their head. */
export function projectHead({ licenceArea, publicationYear, period, projectId }: GridProject) {
  return { licenceArea, projectId, publication: publicationName(publicationYear, period), period, publicationYear };
}
