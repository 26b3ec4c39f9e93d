import { filePath, versionPage } from './project-address';
import type { GridModel, GridVersion, ProjectName, SectionCounts } from './operation-results';
import { counted, fileSize, quantity, utcMinute } from '../format';
import { FILE_SUBJECTS, cimName, className, fileLetters, fileName, publicationName } from './labels';

/** Returns the files of a version with the fields of their headers. */
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
    preconditions: preconditionsOf(model),
    dependencies: model.dependentOn.map((each) => dependencyOf(each)),
  }));
}

/** Returns the counts of a section, or that the file has no such section. */
function sectionOf(counts: SectionCounts | null): string {
  if (counts === null) return 'no such section';
  return `${quantity(counts.items, 'item')}, ${quantity(counts.statements, 'statement')}`;
}

/** Returns the listed preconditions with their statements; undefined if the model has none. */
function preconditionsOf({ preconditions: { nodes, totalCount } }: GridModel) {
  if (totalCount === 0) return undefined;
  return {
    total: quantity(totalCount, 'object'),
    listed: nodes.length < totalCount ? counted(nodes.length) : undefined,
    objects: nodes.map(({ mRID, type, name, description, attributes, associations }) => ({
      mRID,
      name,
      className: className(type),
      statements: [
        ...[
          { name: 'cim:IdentifiedObject.name', value: name },
          { name: 'cim:IdentifiedObject.description', value: description },
          ...attributes,
        ].flatMap((each) =>
          each.value === null ? [] : [{ name: cimName(each.name), fullName: each.name, value: each.value }],
        ),
        ...associations.map((each) => ({ name: cimName(each.name), fullName: each.name, value: each.target })),
      ],
    })),
  };
}

function headerOf({ header }: GridModel) {
  return {
    ...header,
    created: utcMinute(header.created),
    scenarioTime: utcMinute(header.scenarioTime),
    profiles: header.profile.map((uri) => ({ uri, name: profileName(uri) })),
  };
}

/** Removes the part of a profile URI that all profiles share: `CoreEquipment-EU/3.0`. */
function profileName(uri: string): string {
  return uri.replace(/^https?:\/\/[^/]+\/(?:TC57\/ns\/CIM\/|ns\/CIM\/)?/, '');
}

function dependencyOf({ mRID, baseModel, models }: GridModel['dependentOn'][number]) {
  return {
    mRID,
    base:
      baseModel === null
        ? undefined
        : `base model of ${publicationName(baseModel.publicationYear, baseModel.period)}, version ${baseModel.version}`,
    models: models.map(({ file, projectVersion: { version, project } }) => ({
      address: versionPage(project, version),
      name: `${project.projectId} ${fileName(file)}, ${project.licenceArea.code} ${publicationName(project.publicationYear, project.period)}, version ${version}`,
    })),
  };
}
