import { PERIOD_MONTHS } from '../grid/labels';
import { projectFilterOf, readProjects } from '../grid/project-list';
import { get } from '../page';

/** Lists the published development projects, the latest publication first. */
export const gridProjectsPage = get('/grid', async (context) => {
  const filter = projectFilterOf(context.query);
  const list = await readProjects(context, filter);
  const isFiltered = Object.values(filter).some((each) => each !== undefined);
  const periods = Object.entries(PERIOD_MONTHS).map(([value, month]) => ({ value, month }));
  return { view: 'grid/projects', model: { ...list, filter, isFiltered, periods } };
});
