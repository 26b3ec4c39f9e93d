import { errorCatalogue } from '../../schema/error-catalogue';
import type { Page } from '../page';
import { writtenDay } from '../tariffs/local-time';
import { TARIFFS_PATH } from '../tariffs/tariff-address';
import { tariffFilterOf } from '../tariffs/tariff-filter';
import { readSuppliers, readTariffs } from '../tariffs/tariff-list';

/** The published tariffs, those first that were changed last. */
export const tariffsPage: Page = {
  method: 'GET',
  path: TARIFFS_PATH,
  async answer(visit) {
    const filter = tariffFilterOf(visit.query);
    const { suppliers, today } = await readSuppliers(visit, filter.query['mpid']);
    const hasFaults = filter.faults.length > 0;
    return {
      view: 'tariffs/list',
      ...(hasFaults ? { status: errorCatalogue.VAL003.status } : {}),
      model: {
        list: hasFaults ? undefined : await readTariffs(visit, filter, today),
        suppliers,
        filter,
        isFiltered: hasFaults || Object.keys(filter.query).length > 0,
        today: writtenDay(today, 'd LLLL yyyy'),
        page: TARIFFS_PATH,
      },
    };
  },
};
