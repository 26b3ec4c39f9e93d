import { errorCatalogue } from '../../../schema/error-catalogue';
import { get } from '../page';
import { writtenDay } from '../tariffs/local-time';
import { TARIFFS_PATH } from '../tariffs/tariff-address';
import { tariffFilterOf } from '../tariffs/tariff-filter';
import { readSuppliers, readTariffs } from '../tariffs/tariff-list';

/** Lists the published tariffs, the last changed first. */
export const tariffsPage = get(TARIFFS_PATH, async (context) => {
  const filter = tariffFilterOf(context.query);
  const { suppliers, today } = await readSuppliers(context, filter.query['mpid']);
  const hasFaults = filter.errors.length > 0;
  return {
    view: 'tariffs/list',
    ...(hasFaults ? { status: errorCatalogue.VAL003.status } : {}),
    model: {
      list: hasFaults ? undefined : await readTariffs(context, filter, today),
      suppliers,
      filter,
      isFiltered: hasFaults || Object.keys(filter.query).length > 0,
      today: writtenDay(today, 'd LLLL yyyy'),
      page: TARIFFS_PATH,
    },
  };
});
