import { PERIOD_MONTHS } from '../grid/wording';
import { projectFilterOf, readProjects } from '../grid/project-list';
import type { Page } from '../page';

/** The published development projects, those first that were published last. */
export const gridProjectsPage: Page = {
  method: 'GET',
  path: '/grid',
  async answer(visit) {
    const filter = projectFilterOf(visit.query);
    const list = await readProjects(visit, filter);
    const isFiltered = Object.values(filter).some((each) => each !== undefined);
    const periods = Object.entries(PERIOD_MONTHS).map(([value, month]) => ({ value, month }));
    return { view: 'grid/projects', model: { ...list, filter, isFiltered, periods } };
  },
};
