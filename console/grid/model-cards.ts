import { filePath, versionPage } from './project-address';
import type { GridModel, GridVersion, ProjectName, SectionCounts } from './register-answers';
import { FILE_SUBJECTS, fileLetters, fileName, fileSize, publicationName, quantity, writtenInstant } from './wording';

/** The files of a version, each with the facts of its header. */
export function modelCards(project: ProjectName, { version, models }: Pick<GridVersion, 'version' | 'models'>) {
  return models.map((model) => ({
    file: fileName(model.file),
    letters: fileLetters(model.file),
    subject: FILE_SUBJECTS[model.file],
    size: fileSize(model.stored.size),
    download: filePath(project, version, fileName(model.file)),
    forward: sectionOf(model.forwardDifferences),
    reverse: sectionOf(model.reverseDifferences),
    header: headerOf(model),
    dependencies: model.dependentOn.map((each) => dependencyOf(each)),
  }));
}

/** What a section holds, or that the file has none. */
function sectionOf(counts: SectionCounts | null): string {
  if (counts === null) return 'no such section';
  return `${quantity(counts.items, 'item')}, ${quantity(counts.statements, 'statement')}`;
}

function headerOf({ header }: GridModel) {
  return {
    ...header,
    created: writtenInstant(header.created),
    scenarioTime: writtenInstant(header.scenarioTime),
    profiles: header.profile.map((uri) => ({ uri, name: profileName(uri) })),
  };
}

/** A profile without what all of them have in common: `CoreEquipment-EU/3.0`. */
function profileName(uri: string): string {
  return uri.replace(/^https?:\/\/[^/]+\/(?:TC57\/ns\/CIM\/|ns\/CIM\/)?/, '');
}

function dependencyOf({ mRID, models }: GridModel['dependentOn'][number]) {
  return {
    mRID,
    places: models.map(({ file, projectVersion: { version, project } }) => ({
      address: versionPage(project, version),
      name: `${project.projectId} ${fileName(file)}, ${project.licenceArea.code} ${publicationName(project.publicationYear, project.period)}, version ${version}`,
    })),
  };
}
