import { countsByKind, divergingBars, lettersOf, sortedByTotal, sumOf, totalOf } from '../grid/class-bars';
import { modelCards } from '../grid/model-cards';
import { objectFilterOf } from '../grid/object-filter';
import { readObjects } from '../grid/object-list';
import {
  PROJECT_PATH,
  type ProjectAddress,
  checkPage,
  comparisonPage,
  filePath,
  fitPage,
  projectPage,
  versionPage,
} from '../grid/project-address';
import { found, projectHead, readProject, shownVersion } from '../grid/project-reading';
import { versionMap } from '../grid/version-map';
import { type GridProject, type GridVersion, OBJECT_CHANGE_KINDS } from '../grid/operation-results';
import { counted, fileSize, utcDay } from '../format';
import { KINDS, breakable, className, fileLetters } from '../grid/labels';
import { type PageContext, get } from '../page';

/** Shows what a version of a development project changes: in charts, on a map, and object by object. */
export const gridProjectPage = get(PROJECT_PATH, async (context) => {
  const { address, project } = await readProject(context);
  const number = shownVersion(context, project);
  const filter = objectFilterOf(context.query);
  const [{ version, map }, objects] = await Promise.all([
    readVersionWithMap(context, address, project, number),
    readObjects(context, project, address, number, filter),
  ]);
  const earlier = project.versions.find((each) => each.version < number);
  return {
    view: 'grid/project',
    model: {
      ...projectHead(project),
      ...pictureModel(project, version),
      map,
      objects,
      filter,
      lead: leadOf(version),
      version: number,
      published: utcDay(version.publishedAt),
      versions: project.versions.map((each) => versionLink(project, each, number)),
      comparison: earlier && { with: earlier.version, address: comparisonPage(project, earlier.version, number) },
      fit: fitPage(project, number),
      check: checkPage(project),
      archive: { ...version.archive, size: fileSize(version.archive.size), download: filePath(project, number) },
      models: modelCards(project, version),
      warnings: version.warnings.map(({ file, message }) => ({ letters: fileLetters(file), message })),
    },
  };
});

/** A longer description is shown with its file only. */
const MAX_LEAD_LENGTH = 400;

/** Returns the description of the first file as introduction of the page, if it is short. */
function leadOf({ models }: GridVersion): string | undefined {
  const description = models[0]?.header.description.trim() ?? '';
  return description === '' || description.length > MAX_LEAD_LENGTH ? undefined : description;
}

async function readVersionWithMap(
  context: PageContext,
  address: ProjectAddress,
  project: GridProject,
  number: number,
): Promise<{ readonly version: GridVersion; readonly map: string }> {
  const result = await context.execute('ReadGridVersion', { ...address, version: number });
  const version = found(result.project?.version);
  return { version, map: await versionMap(context, address, project, version) };
}

function pictureModel(project: GridProject, { version, classCounts }: GridVersion) {
  const sum = sumOf(classCounts);
  const counts = countsByKind(sum);
  const objectsUrl = (type: string) => `${versionPage(project, version)}&type=${encodeURIComponent(type)}#objects`;
  return {
    figures: OBJECT_CHANGE_KINDS.map((kind) => ({ ...KINDS[kind], value: counted(counts[kind]) })),
    total: counted(totalOf(sum)),
    letters: lettersOf(classCounts),
    classes: divergingBars(sortedByTotal(classCounts)).map((each) => ({
      ...each,
      name: className(each.type),
      parts: breakable(className(each.type)),
      address: objectsUrl(each.type),
    })),
  };
}

function versionLink(project: GridProject, { version, publishedAt }: GridProject['versions'][number], shown: number) {
  return {
    version,
    published: utcDay(publishedAt),
    isShown: version === shown,
    address: version === project.versions[0]?.version ? projectPage(project) : versionPage(project, version),
  };
}
