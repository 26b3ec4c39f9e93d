import { inSlices } from '../../../subgraphs/server/in-slices';
import type { PageContext } from '../page';
import { quantity } from '../format';
import { locationMap } from './location-map';
import type { LocationTarget } from './location-rows';
import type { GridProject, GridVersion } from './operation-results';
import { type ProjectAddress, objectAfterPage, objectPage } from './project-address';
import { locationTotals, readLocations } from './version-locations';

/**
 * Returns the map and the table of the locations of a version as HTML. They depend only on the version and on the base model that applies to
 * it, which never change: each is made once, in slices, because a map of 2,000 locations takes tenths of a second.
 */
export async function versionMap(
  context: Pick<PageContext, 'execute' | 'render' | 'gridMaps'>,
  address: ProjectAddress,
  project: GridProject,
  version: GridVersion,
): Promise<string> {
  const key = JSON.stringify([address, version.version, version.publishedAt, version.baseModel]);
  const { html } = await context.gridMaps(key, async () => ({
    html: await mapHtml(context, address, project, version),
  }));
  return html;
}

async function mapHtml(
  context: Pick<PageContext, 'execute' | 'render'>,
  address: ProjectAddress,
  project: GridProject,
  { version, classCounts, unplacedPoints }: GridVersion,
): Promise<string> {
  const locations = await readLocations(context, address, version);
  const { rows, picture, ...map } = await locationMap(locations.nodes, locationTotals(locations, classCounts));
  const addressOf = (target: LocationTarget | undefined) =>
    target && (target.isChanged ? objectPage : objectAfterPage)(project, version, target.mRID);
  const rendered = async (view: string, shown: readonly { readonly target: LocationTarget | undefined }[]) => {
    let html = '';
    await inSlices(shown, (each) => (html += context.render(view, { each, address: addressOf(each.target) })));
    return html;
  };
  const drawings = picture?.drawings ?? [];
  return context.render('grid/map', {
    ...map,
    picture,
    unplaced: unplacedPoints === 0 ? undefined : quantity(unplacedPoints, 'point'),
    lines: await rendered(
      'grid/map-line',
      drawings.filter(({ line }) => line !== undefined),
    ),
    marks: await rendered(
      'grid/map-mark',
      drawings.filter(({ line }) => line === undefined),
    ),
    rows: await rendered('grid/map-row', rows),
  });
}
