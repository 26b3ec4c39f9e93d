import { RegisterRefusal } from '../../web/register-refusal';
import { byMostChanges, divergingBars, lettersOf, sumOf, totalOf } from '../grid/class-bars';
import { countsByKind } from '../grid/counts-by-kind';
import { locationMap } from '../grid/location-map';
import { modelCards } from '../grid/model-cards';
import { objectFilterOf } from '../grid/object-filter';
import { readObjects } from '../grid/object-list';
import {
  PROJECT_PATH,
  type ProjectAddress,
  comparisonPage,
  filePath,
  objectPage,
  projectPage,
  versionOfAddress,
  versionPage,
} from '../grid/project-address';
import { found, projectHead, readProject } from '../grid/project-reading';
import { type VersionLocations, locationTotals, readLocations } from '../grid/version-locations';
import { type GridProject, type GridVersion, OBJECT_CHANGE_KINDS } from '../grid/register-answers';
import { KINDS, breakable, className, counted, dayOf, fileSize, quantity } from '../grid/wording';
import type { Page, Visit } from '../page';

/** What a version of a development project does to the grid: in pictures, and object by object. */
export const gridProjectPage: Page = {
  method: 'GET',
  path: PROJECT_PATH,
  async answer(visit) {
    const { address, project } = await readProject(visit);
    const number = shownVersion(visit, project);
    const filter = objectFilterOf(visit.query);
    const [version, locations, objects] = await Promise.all([
      readVersion(visit, address, number),
      readLocations(visit, address, number),
      readObjects(visit, project, address, number, filter),
    ]);
    const earlier = project.versions.find((each) => each.version < number);
    return {
      view: 'grid/project',
      model: {
        ...projectHead(project),
        ...pictures(project, version, locations),
        objects,
        filter,
        lead: leadOf(version),
        version: number,
        published: dayOf(version.publishedAt),
        versions: project.versions.map((each) => versionLink(project, each, number)),
        comparison: earlier && { with: earlier.version, address: comparisonPage(project, earlier.version, number) },
        archive: { ...version.archive, size: fileSize(version.archive.size), download: filePath(project, number) },
        models: modelCards(project, version),
      },
    };
  },
};

/** Longer descriptions are read with their file. */
const LONGEST_LEAD = 400;

/** What the project is about, if the first of its files says so in a few words. */
function leadOf({ models }: GridVersion): string | undefined {
  const description = models[0]?.header.description.trim() ?? '';
  return description === '' || description.length > LONGEST_LEAD ? undefined : description;
}

async function readVersion({ ask }: Visit, address: ProjectAddress, version: number): Promise<GridVersion> {
  const { project } = await ask<{ project: { version: GridVersion | null } | null }>('ReadGridVersion', {
    ...address,
    version,
  });
  return found(project?.version);
}

/** The version that was asked for, or else the latest; NTF001 when there is no such. */
function shownVersion({ query }: Visit, { versions }: GridProject): number {
  if (query['version'] === undefined) return found(versions[0]).version;
  const asked = versionOfAddress(query['version']);
  if (!versions.some(({ version }) => version === asked)) throw new RegisterRefusal('NTF001');
  return found(asked);
}

function pictures(
  project: GridProject,
  { version, classCounts, unplacedPoints }: GridVersion,
  locations: VersionLocations,
) {
  const sum = sumOf(classCounts);
  const counts = countsByKind(sum);
  const map = locationMap(locations.nodes, locationTotals(locations, classCounts));
  const ofObjects = (type: string) => `${versionPage(project, version)}&type=${encodeURIComponent(type)}#objects`;
  const addressOf = <Shown extends { readonly mRID: string }>(shown: Shown) => ({
    ...shown,
    address: objectPage(project, version, shown.mRID),
  });
  return {
    figures: OBJECT_CHANGE_KINDS.map((kind) => ({ ...KINDS[kind], value: counted(counts[kind]) })),
    total: counted(totalOf(sum)),
    letters: lettersOf(classCounts),
    classes: divergingBars(byMostChanges(classCounts)).map((each) => ({
      ...each,
      name: className(each.type),
      parts: breakable(className(each.type)),
      address: ofObjects(each.type),
    })),
    map: {
      ...map,
      unplaced: unplacedPoints === 0 ? undefined : quantity(unplacedPoints, 'point'),
      rows: map.rows.map(addressOf),
      picture: map.picture && { ...map.picture, drawings: map.picture.drawings.map(addressOf) },
    },
  };
}

function versionLink(project: GridProject, { version, publishedAt }: GridProject['versions'][number], shown: number) {
  return {
    version,
    published: dayOf(publishedAt),
    isShown: version === shown,
    address: version === project.versions[0]?.version ? projectPage(project) : versionPage(project, version),
  };
}
